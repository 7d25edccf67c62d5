// GoodFront: a front that keeps to the protocol while others do not.
//
// Layer      test executable.
// Isolation  none of its own; one thread.

import NapkinProtocol

/// Attached all the time; its calls are answered rightly and soon, and it sees the right tree.
final class GoodFront {
    /// A call of a well-behaved front takes no longer, whatever the others do. Chosen.
    static let deadlineSeconds = 5.0

    let peer: Peer
    private(set) var slowest = 0.0

    init(_ world: World, in session: KnownSession) throws {
        let ticket = try world.goodTicket(session)
        peer = try Peer(.worker, in: world)
        peer.send(
            FrameHeader(.hello), Payloads.hello(ticket: ticket, client: "good 1"))
        peer.session = session
        peer.stage = .attached
        peer.control = [.welcome, .attached, .schema, .transition]
        // It would have to answer what the others make the app ask.
        let attach = Attach(wantsSchema: true, declinesAsks: true)
        peer.send(FrameHeader(.attach), Payloads.encoded(attach))
        try peer.settle()
        guard peer.isConfirmed else { throw peer.violation("a good front is not let in") }
    }

    /// Calls a method of the desk; returns when it has been answered so.
    func call(_ method: UInt32, _ outcome: Outcome = .reply) throws {
        let start = World.now
        peer.lastSequence += 1
        let root = peer.nodes.keys.min() ?? 1
        let header = FrameHeader(
            .event, node: root, epoch: peer.epoch, sequence: peer.lastSequence)
        peer.call(header, method, outcome, .soon)
        try peer.settle()
        guard !peer.isClosed else { throw peer.violation("a good front was put out") }
        let seconds = World.now - start
        slowest = max(slowest, seconds)
        guard seconds < Self.deadlineSeconds else {
            throw peer.violation("a good front waited \(seconds) s for its answer")
        }
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
