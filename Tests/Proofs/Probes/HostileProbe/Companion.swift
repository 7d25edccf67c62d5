// Companion: a front that behaves: it does one thing at a time, and says when that has happened.

import NapkinProtocol
import ProofSupport

/// One connection of an attached front that keeps to the protocol.
final class Companion {
    private let caller: Caller
    private var inbox: [(header: FrameHeader, payload: [UInt8])] = []
    private(set) var identity = SessionIdentity(front: 0, epoch: 0)
    private(set) var isResumed = false
    /// The number of the newest event, over all of the front's connections.
    private(set) var newest: UInt64 = 0
    /// The one before this connection.
    private var first: UInt64 = 0
    private var root: UInt32 = 0
    private var lastLink: UInt64 = 0

    /// Returns when the front has been shown the session.
    ///
    /// - Parameter former: whom the front says that it is.
    init(
        _ redirect: Redirect, attach: Attach = Attach(takesDeltas: true),
        as former: Companion? = nil
    ) throws {
        caller = try Caller(redirect.socket)
        caller.received = { [unowned self] in inbox.append(($0, Array($1))) }
        var attach = attach
        attach.previousFront = former?.identity.front
        attach.previousEpoch = former?.identity.epoch
        caller.send(
            Oversize.frame(FrameHeader(.hello), Payloads.hello(ticket: redirect.ticket))
                + Oversize.frame(FrameHeader(.attach), Payloads.encoded(attach)))
        let attached = try next { $0.kind == .attached }.payload.withUnsafeBytes {
            try Payloads.decoded(Attached.self, $0)
        }
        identity = SessionIdentity(front: attached.front, epoch: attached.epoch)
        isResumed = attached.isResumed
        newest = isResumed ? former?.newest ?? 0 : 0
        first = newest
        let snapshot = try next { $0.kind == .transition }.payload.withUnsafeBytes {
            try Payloads.operations($0)
        }
        if case .mount(let mount)? = snapshot.first { root = mount.node }
    }

    // MARK: - Sending

    private func send(_ header: FrameHeader, _ payload: [UInt8] = []) {
        caller.send(header, payload)
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

    /// Says that all answers have arrived. Only for who has waited for each here.
    func confirms() { send(FrameHeader(.received, sequence: newest - first)) }

    func answer(_ ask: UInt64) { send(FrameHeader(.askReply, sequence: ask), Payloads.yes) }

    func open(_ url: String) {
        lastLink += 1
        send(FrameHeader(.openURL, sequence: lastLink), Payloads.encoded(OpenURL(url: url)))
    }

    /// Returns when the worker has read what has been sent so far.
    func settles() throws {
        try caller.settles()
        inbox = []
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
        while true {
            if let index = inbox.firstIndex(where: { fits($0.header) }) {
                defer { inbox.removeFirst(index + 1) }
                return inbox[index]
            }
            inbox = []
            guard try caller.until({ _ in true }) else {
                throw Failure("a front waits for what does not come")
            }
        }
    }

    // MARK: - Leaving

    /// Leaves for good; returns when the worker has closed.
    func detaches() throws {
        send(FrameHeader(.detach), Payloads.yes)
        try ends()
    }

    /// Returns when the worker has closed, whatever it says before.
    func ends() throws { try caller.ends() }

    /// Loses its connection.
    func vanish() { caller.close() }
}
