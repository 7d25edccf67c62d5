// GoodFront: a front that keeps to the protocol while others do not.

import NapkinProtocol
import ProofSupport

/// Attached all the time; its calls are answered rightly and soon, and it sees the right tree.
final class GoodFront {
    /// A call of a well-behaved front takes no longer, whatever the others do. Chosen.
    static let deadlineSeconds = 5.0

    private(set) var peer: Peer
    private(set) var slowest = 0.0

    init(_ world: World, in session: KnownSession) throws {
        try world.openMore(session)
        peer = try Peer(.worker, in: world)
        try peer.greet(session)
        // It would have to answer what the others make the app ask.
        peer.attach = Attach(wantsSchema: true, declinesAsks: true)
        try peer.sendAttach()
        try peer.settle()
        guard peer.isConfirmed else { throw peer.violation("a good front is not let in") }
    }

    /// Calls a method of the desk; returns when it has been answered so.
    func call(_ method: UInt32, _ outcome: Outcome = .reply) throws {
        let start = World.now
        send(method, outcome, .soon)
        try peer.settle()
        let count = UInt64(peer.arrived.count)
        if count >= peer.confirmed + UInt64(Limits.answersPerConfirmation) { peer.confirm(count) }
        guard !peer.isClosed else { throw peer.violation("a good front was put out") }
        let seconds = World.now - start
        slowest = max(slowest, seconds)
        guard seconds < Self.deadlineSeconds else {
            throw peer.violation("a good front waited \(seconds) s for its answer")
        }
    }

    private func send(_ method: UInt32, _ outcome: Outcome, _ timing: Timing) {
        let root = peer.nodes.keys.min() ?? 1
        let header = FrameHeader(
            .event, node: root, epoch: peer.epoch, sequence: peer.nextSequence)
        peer.call(header, method, outcome, timing)
    }

    /// Loses its connection with events that wait, and others of which it has no answer; returns,
    /// and finds that each has run once. Nobody else does anything here.
    func returns() throws {
        guard let front = peer.known else { throw peer.violation("a good front is nobody") }
        let waits = 1 + peer.world.random.below(8)
        for _ in 0..<2 {
            for _ in 0..<waits { send(Method.wait, .reply, .waiting) }
            send(Method.fail, .failed, .soon)
            let former = peer
            let isCut = peer.world.random.percent(50)
            if isCut { former.abandon() } else { try former.settle() }
            peer = try Peer(returning: front, in: former.world)
            peer.sendAllAgain()
            try peer.settle()
            try call(Method.fail, .failed)
            if !isCut { try former.settle() }
        }
        guard peer.waiting == 2 * waits else {
            throw peer.violation("\(peer.waiting) handlers wait; \(2 * waits) were called")
        }
        try call(Method.release)
        peer.waitsAreOver()
        try peer.settle()
    }

    /// Each call does what it should, and nobody else does anything here.
    func checkAlone() throws {
        try shows([Payloads.desk])
        try call(Method.write)
        try shows([Payloads.desk, Payloads.note])
        try call(Method.fail, .failed)
        try call(Method.replace)
        try shows([Payloads.desk, Payloads.note])
        try call(Method.tear)
        try shows([Payloads.desk])
    }

    func shows(_ features: [String]) throws {
        let shown = peer.nodes.sorted { $0.key < $1.key }.map(\.value)
        guard shown == features else {
            throw peer.violation("a good front sees \(shown); it should see \(features)")
        }
    }
}
