// Companion: a front of the pairs: it does one thing at a time, and says when that has happened.

import NapkinProtocol
import ProofSupport

/// One connection of an attached front that keeps to the protocol.
final class Companion {
    private let wire: Wire
    private var inbox: [(header: FrameHeader, payload: [UInt8])] = []
    let identity: SessionIdentity
    let isResumed: Bool
    /// The number of the newest event, over all of the front's connections.
    private(set) var newest: UInt64
    private var root: UInt32 = 0
    private var lastBarrier: UInt64 = 0
    private var lastLink: UInt64 = 0

    /// Returns when the front has been shown the session.
    ///
    /// - Parameter former: whom the front says that it is.
    init(
        _ redirect: Redirect, attach: Attach = Attach(takesDeltas: true),
        as former: Companion? = nil
    ) throws {
        wire = try Wire(redirect.socket)
        var attach = attach
        attach.previousFront = former?.identity.front
        attach.previousEpoch = former?.identity.epoch
        var frames = FrameBytes()
        frames.append(
            FrameHeader(.hello), Payloads.hello(ticket: redirect.ticket))
        frames.append(FrameHeader(.attach), Payloads.encoded(attach))
        wire.send(frames.take())
        let reading = Reading(wire)
        let attached = try reading.next(.attached).payload.withUnsafeBytes {
            try Payloads.decoded(Attached.self, $0)
        }
        identity = SessionIdentity(front: attached.front, epoch: attached.epoch)
        isResumed = attached.isResumed
        newest = isResumed ? former?.newest ?? 0 : 0
        let snapshot = try reading.next(.transition).payload.withUnsafeBytes {
            try Payloads.operations($0)
        }
        if case .mount(let mount)? = snapshot.first { root = mount.node }
        inbox = reading.inbox
    }

    // MARK: - Sending

    private func send(_ header: FrameHeader, _ payload: [UInt8] = []) {
        var frames = FrameBytes()
        frames.append(header, payload)
        wire.send(frames.take())
    }

    /// Sends an event to the root, or to another node; returns its number.
    @discardableResult
    func call(_ method: UInt32, node: UInt32? = nil) -> UInt64 {
        newest += 1
        send(
            FrameHeader(
                .event, node: node ?? root, epoch: identity.epoch, sequence: newest,
                method: method))
        return newest
    }

    /// Calls, and returns when there is an answer.
    func calls(_ method: UInt32, node: UInt32? = nil, _ expected: FrameKind = .reply) throws {
        let number = call(method, node: node)
        _ = try next { $0.kind == expected && $0.sequence == number }
    }

    /// Says that all answers have arrived. Only for who has waited for each.
    func confirms() { send(FrameHeader(.received, sequence: newest)) }

    func answer(_ ask: UInt64) { send(FrameHeader(.askReply, sequence: ask), Payloads.yes) }

    func open(_ url: String) {
        lastLink += 1
        send(FrameHeader(.openURL, sequence: lastLink), Payloads.encoded(OpenURL(url: url)))
    }

    /// Returns when the worker has read what has been sent so far.
    func settles() throws {
        lastBarrier += 1
        send(FrameHeader(.ping, sequence: lastBarrier))
        let barrier = lastBarrier
        _ = try next { $0.kind == .pong && $0.sequence == barrier }
    }

    /// Says what it has measured, which is nothing, when it is asked.
    func measures() throws {
        let round = try next { $0.kind == .measure }.header.sequence
        send(FrameHeader(.measured, sequence: round), Payloads.encoded(Measured(rows: [])))
    }

    // MARK: - Reading

    /// The first frame that fits; those before it are dropped.
    @discardableResult
    func next(
        _ fits: (FrameHeader) -> Bool
    ) throws -> (header: FrameHeader, payload: [UInt8]) {
        let reading = Reading(wire, inbox)
        defer { inbox = reading.inbox }
        return try reading.next(fits)
    }

    // MARK: - Leaving

    /// Leaves for good; returns when the worker has closed.
    func detaches() throws {
        send(FrameHeader(.detach), Payloads.yes)
        try ends()
    }

    /// Returns when the worker has closed, whatever it says before.
    func ends() throws {
        while true {
            switch try wire.read({ _, _ in }) {
            case .frames: break
            case .end: return wire.close()
            case .nothing: throw Failure("a connection did not end")
            }
        }
    }

    /// Loses its connection.
    func vanish() { wire.close() }
}

/// Frames in the order in which they come.
private final class Reading {
    private let wire: Wire
    private(set) var inbox: [(header: FrameHeader, payload: [UInt8])]

    init(_ wire: Wire, _ inbox: [(header: FrameHeader, payload: [UInt8])] = []) {
        self.wire = wire
        self.inbox = inbox
    }

    func next(_ kind: FrameKind) throws -> (header: FrameHeader, payload: [UInt8]) {
        try next { $0.kind == kind }
    }

    func next(_ fits: (FrameHeader) -> Bool) throws -> (header: FrameHeader, payload: [UInt8]) {
        while true {
            if let index = inbox.firstIndex(where: { fits($0.header) }) {
                let frame = inbox[index]
                inbox.removeFirst(index + 1)
                return frame
            }
            let kinds = inbox.map { header, payload in
                header.kind == .goodbye
                    ? "goodbye: \(String(decoding: payload, as: UTF8.self))" : "\(header.kind)"
            }
            inbox = []
            let arrival = try wire.read { inbox.append(($0, Array($1))) }
            guard arrival == .frames else {
                throw Failure(
                    "a front waits for what does not come: \(arrival), after \(kinds)")
            }
        }
    }
}
