// AskBoard: the questions of a session that wait for a front's answer.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its session; owns the continuations of the waiting interactors.
// Invariant  each question ends once: answered, gone, or without a front.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Asks every front; the first answer wins, the others are told that it is over.
@MainActor
final class AskBoard {
    private struct Question {
        let node: UInt32
        let frame: [UInt8]
        let continuation: CheckedContinuation<Result<Payload, RemoteFault>, Never>
    }

    private var questions: [UInt64: Question] = [:]
    private var nextID: UInt64 = 0

    var count: Int { questions.count }

    func ask(
        _ node: FeatureNode, _ method: MethodID, _ payload: Payload, in session: SessionHost
    ) async throws(RemoteFault) -> Payload {
        let fronts = session.fronts.filter { !$0.isReadOnly }
        guard !fronts.isEmpty else {
            throw RemoteFault(.noFront, "no front is attached that could answer \(node.feature)")
        }
        nextID += 1
        let id = nextID
        var writer = CBORWriter()
        FrameHeader(
            .ask, node: node.id, epoch: session.epoch, sequence: id, method: method.rawValue
        ).write(into: &writer, payload: payload.bytes)
        let frame = writer.copyBytes()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                questions[id] = Question(
                    node: node.id, frame: frame, continuation: continuation)
                for front in fronts { front.ordered(frame) }
                if Task.isCancelled { end(id, .failure(Self.cancelled), fronts) }
            }
        } onCancel: {
            // Fronts that came meanwhile have been asked, too.
            Task { @MainActor in self.end(id, .failure(Self.cancelled), session.fronts) }
        }
        return try outcome.get()
    }

    private static let cancelled = RemoteFault(.cancelled, "the question was withdrawn")

    /// A front answered. Late answers are dropped: that front has been told.
    func answered(_ id: UInt64, by front: FrontLink, _ payload: Payload) {
        end(id, .success(payload), front.session.fronts.filter { $0 !== front })
    }

    /// A front has attached: it is asked what is still open.
    func frontJoined(_ front: FrontLink) {
        guard !front.isReadOnly else { return }
        for (_, question) in questions.sorted(by: { $0.key < $1.key }) {
            front.ordered(question.frame)
        }
    }

    /// A front has left. Without any other that could answer, every question fails.
    func frontLeft(remaining: [FrontLink]) {
        guard !remaining.contains(where: { !$0.isReadOnly }) else { return }
        let fault = RemoteFault(.noFront, "the last front that could answer has left")
        for id in questions.keys { end(id, .failure(fault), []) }
    }

    /// Nodes have been unmounted.
    func unmounted(where isGone: (UInt32) -> Bool, _ fronts: [FrontLink]) {
        for (id, question) in questions where isGone(question.node) {
            end(id, .failure(RemoteFault(.gone, "the node that asked is unmounted")), fronts)
        }
    }

    private func end(
        _ id: UInt64, _ outcome: Result<Payload, RemoteFault>, _ others: [FrontLink]
    ) {
        guard let question = questions.removeValue(forKey: id) else { return }
        var writer = CBORWriter()
        FrameHeader(.askEnded, sequence: id).write(into: &writer, payload: [])
        for front in others where !front.isReadOnly { front.ordered(writer.copyBytes()) }
        Loop.keepingResumesOnLoop { question.continuation.resume(returning: outcome) }
    }
}
