// Peer: one connection of the probe: what was sent on it, and what may come back.
//
// Layer      test executable. The oracle: Protocol/SPEC.md says it, not the daemon's code.
// Ownership  owns its wire; kept by the slot that draws for it.
// Invariant  `pressing` counts the expectations in `requests` that are pressing.

import NapkinProtocol
import ProofSupport

/// A hostile connection to napkind or to the worker.
final class Peer {
    enum Place { case door, worker }
    enum Stage { case fresh, greeted, asked, attached, ended }

    let place: Place
    let world: World
    let wire: Wire
    var stage = Stage.fresh
    /// Once the other side has said so.
    var isWelcomed = false
    var isConfirmed = false
    var transcript = Transcript()

    // What the hello and the attach said.
    var role = PeerRole.front
    var session: KnownSession?
    var attach = Attach()
    /// The front that the attach says this is, and whether it must be found to be.
    var claimed: KnownFront?
    var mustResume: Bool?
    /// Whether the former connection may go on sending when this one takes over.
    var mayBeLate = true
    /// The worker's number for the front.
    var number: UInt64?
    var isReadOnly = false
    var isAskable = false
    var wantsSchema = false

    // What a front is shown.
    var epoch: UInt32 = 0
    var nodes: [UInt32: String] = [:]
    var newestNode: UInt32 = 0
    /// How many handlers wait in the session.
    var waiting = 0
    /// Nodes that have been unmounted here.
    var lost: Set<UInt32> = []
    var asks: Set<UInt64> = []
    /// Asks that were open here once.
    var pastAsks: Set<UInt64> = []

    // What is numbered.
    /// What the worker knows of a front whose events are numbered over its connections.
    var known: KnownFront?
    /// The newest event on this connection.
    var newest: UInt64 = 0
    /// The events whose answers have arrived, in order, and how many of those are forgotten.
    var arrived: [UInt64] = []
    var forgotten = 0
    var confirmed: UInt64 = 0

    // What is due.
    var control: [FrameKind] = []
    /// In the order of their pings.
    var pongs: [UInt64] = []
    var requests: [UInt64: [Expectation]] = [:]
    var pressing = 0
    var urgent = 0
    var waits: [UInt64] = []
    /// How the connection may end at any time, and how it must end now.
    var permittedEnds: Outcome = []
    var requiredEnd: Outcome?
    var hasSaidGoodbye = false
    var isClosed = false
    var overloads = 0

    /// What is done when the sequence has been written, before anything is read.
    var afterWrite: (() -> Void)?
    /// The sequence of the last request, and of the last barrier.
    var lastSequence: UInt64 = 0
    private var lastBarrier: UInt64 = 1 << 40
    private var frames = FrameBytes()

    init(_ place: Place, in world: World) throws {
        self.place = place
        self.world = world
        wire = try Wire(place == .door ? world.doorPath : world.workerPath)
        world.counts.connections += 1
    }

    // MARK: - Sending

    func send(_ header: FrameHeader, _ payload: [UInt8] = []) {
        world.counts.sent(header.kind)
        transcript.sent(header, payload)
        frames.append(header, payload)
    }

    /// Sends what was drawn, and reads until all that is due has come, or the end has.
    func settle() throws {
        if stage != .ended, stage != .fresh {
            lastBarrier += 1
            pongs.append(lastBarrier)
            transcript.sent(FrameHeader(.ping, sequence: lastBarrier), [])
            frames.append(FrameHeader(.ping, sequence: lastBarrier), [])
        }
        write()
        afterWrite?()
        afterWrite = nil
        while !isClosed, requiredEnd != nil || !isQuiet {
            switch try wire.read(received) {
            case .frames: break
            case .end: try ended()
            case .nothing: throw silence()
            }
        }
    }

    func write() {
        if !frames.isEmpty { wire.send(frames.take()) }
    }

    private var isQuiet: Bool { pongs.isEmpty && control.isEmpty && pressing == 0 }

    // MARK: - What is due

    /// The rest of the sequence is sent to a connection that is over.
    func mustEnd(_ how: Outcome) {
        requiredEnd = how
        stage = .ended
    }

    func mayEnd(_ how: Outcome) { permittedEnds.formUnion(how) }

    func expect(_ sequence: UInt64, _ allowed: Outcome, _ timing: Timing) {
        requests[sequence, default: []].append(Expectation(allowed: allowed, timing: timing))
        if timing.isPressing { pressing += 1 }
        if timing == .now { urgent += 1 }
    }

    /// The handlers that wait are let go.
    func waitsAreOver() {
        for sequence in waits {
            guard var list = requests[sequence],
                let index = list.firstIndex(where: { $0.timing == .waiting })
            else { continue }
            list[index].timing = .soon
            requests[sequence] = list
            pressing += 1
        }
        waits = []
    }

    /// Everything that somebody else had to decide has been decided.
    func nothingMayWait() {
        for (sequence, list) in requests {
            requests[sequence] = list.map { expectation in
                let timing = expectation.timing
                guard !timing.isPressing, timing != .perhaps else { return expectation }
                pressing += 1
                return Expectation(allowed: expectation.allowed, timing: .soon)
            }
        }
        waits = []
    }

    func answered(_ sequence: UInt64, _ outcome: Outcome) throws {
        guard var list = requests[sequence] else {
            throw violation("an answer to \(sequence), for which nobody waits: \(outcome)")
        }
        // Of several with one number the most pressing, which has no other way to be answered.
        let fitting = list.indices.filter { list[$0].allowed.contains(outcome) }
        guard
            let index = fitting.min(by: {
                (list[$0].timing, list[$0].allowed.count)
                    < (list[$1].timing, list[$1].allowed.count)
            })
        else {
            let allowed = list.map(\.allowed.description).joined(separator: ", then ")
            throw violation("\(sequence) was answered by \(outcome); expected: \(allowed)")
        }
        let expectation = list.remove(at: index)
        requests[sequence] = list.isEmpty ? nil : list
        if expectation.timing.isPressing { self.pressing -= 1 }
        if expectation.timing == .now { urgent -= 1 }
        if outcome == .overloaded { overloads += 1 }
        world.counts.answers[outcome, default: 0] += 1
    }

    // MARK: - The end

    /// The other side has closed.
    private func ended() throws {
        isClosed = true
        stage = .ended
        gone()
        world.counts.ends += 1
        if !hasSaidGoodbye, !(requiredEnd ?? []).union(permittedEnds).contains(.silence) {
            throw violation("the connection ended without a word; expected: \(due)")
        }
        // What must come before a goodbye, unless something else may have ended it earlier.
        guard let requiredEnd, !requiredEnd.contains(.silence), permittedEnds.isEmpty else {
            return
        }
        guard control.isEmpty, pongs.isEmpty, urgent == 0 else {
            throw violation("the connection ended before it had answered; expected: \(due)")
        }
    }

    /// The connection is over: the front is away, unless it has another one.
    func gone() {
        if let known, known.standing === self {
            // A kill takes the records with it.
            if permittedEnds.contains(.sessionEnded) { known.standing = nil } else { known.left() }
        }
        known = nil
    }

    func refusedByPeer(_ outcome: Outcome) throws {
        guard !hasSaidGoodbye else { throw violation("two goodbyes") }
        hasSaidGoodbye = true
        guard (requiredEnd ?? []).union(permittedEnds).contains(outcome) else {
            throw violation("the connection was ended by \(outcome); expected: \(due)")
        }
        if requiredEnd == nil { mustEnd(outcome) }
    }

    private func silence() -> Failure {
        violation("no answer in \(RawPeer.patienceSeconds) s; expected: \(due)")
    }

    private var due: String {
        var parts = control.map { "\($0)" } + pongs.map { "pong \($0)" }
        for (sequence, list) in requests.sorted(by: { $0.key < $1.key }) {
            parts += list.filter(\.timing.isPressing).map { "\(sequence): \($0.allowed)" }
        }
        if let requiredEnd { parts.append("the end: \(requiredEnd)") }
        if !permittedEnds.isEmpty { parts.append("perhaps the end: \(permittedEnds)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }

    func violation(_ what: String) -> Failure {
        let side = place == .door ? "napkind" : "the worker"
        let past = (known?.past ?? []).map { "before, as the same front:\n\($0.text)\n" }.joined()
        return Failure(
            "on a connection to \(side): \(what)\n\(past)now:\n\(transcript.text)")
    }
}
