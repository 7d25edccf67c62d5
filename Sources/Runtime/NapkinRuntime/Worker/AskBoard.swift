// AskBoard: the questions of a session that await a front's answer.
//
// Ownership  owned by its session's stage; keeps the waiting tasks.
// Invariant  each question ends once: answered, gone, or without a front. The asking task continues
//            before any event that arrived after the answer starts.
// Spec       Protocol/SPEC.md, sections 2 (Ordering guarantees) and 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Asks every front; the first answer wins, and the others learn that the question is over.
@MainActor
final class AskBoard {
    private struct Question {
        let node: UInt32
        let feature: FeatureID
        let method: MethodID
        let frame: [UInt8]
        /// The only front that is asked; `nil` if all are.
        let recipient: UInt64?
        let stage: SessionStage
        let askedAt = MeasuringClock.nanoseconds
        /// `nil` for a question that fails without a front.
        let terms: QuestionTerms?
        /// The fronts that have been asked and have not left, connected or away.
        var fronts: [FrontSeat]
        let asker: Asker

        var isHopeless: Bool { fronts.isEmpty && terms?.waitsForFronts != true }
    }

    /// The task that waits for the end of a question.
    @MainActor
    private final class Asker {
        let gate = Gate()
        var outcome: Result<Payload, RemoteFault>?
    }

    private var questions: [UInt64: Question] = [:]
    private var newestID: UInt64 = 0
    /// The total bytes of the questions' frames.
    private var bytes = 0

    var count: Int { questions.count }

    /// The range of first question numbers in a restored tree. Chosen: exact in any JSON reader,
    /// and large enough that no two lives of a tree reuse a number.
    static let startMax: UInt64 = 1 << 52

    /// Continues after `number` in a tree restored with its epoch, in which other questions were
    /// asked before. Their numbers are not recorded.
    func restored(after number: UInt64) { newestID = number }

    func ask(
        _ node: FeatureNode, _ message: some CrossingMessage, of recipient: UInt64?,
        on stage: SessionStage
    ) async throws(RemoteFault) -> Payload {
        let fronts = stage.fronts(showing: recipient).filter(\.isAskable)
        let terms = QuestionTerms.current
        guard !fronts.isEmpty || terms?.waitsForFronts == true else {
            throw RemoteFault(.noFront, "no front is attached that could answer \(node.feature)")
        }
        let id = newestID + 1
        let frame = try frame(id, node, message, epoch: stage.epoch)
        guard questions.count < Limits.asksMax, bytes + frame.count <= Limits.askBytesMax else {
            throw RemoteFault(
                .overloaded,
                "\(questions.count) questions with \(bytes) bytes already wait for an answer")
        }
        newestID = id
        bytes += frame.count
        stage.observer?.asked(node, message.method, frame, to: fronts)
        let asker = Asker()
        questions[id] = Question(
            node: node.id, feature: node.feature, method: message.method, frame: frame,
            recipient: recipient, stage: stage, terms: terms, fronts: fronts, asker: asker)
        for front in fronts { front.ordered(frame) }
        await CallLimit.watch {
            // A front that overflows loses its connection; if it was the last one, the question has
            // ended.
            if asker.outcome == nil { await asker.gate.pass() }
        } giveUp: { [self] reason in
            withdraw(id, by: node, reason)
        }
        guard let outcome = asker.outcome else {
            preconditionFailure("a question of \(node.feature) ended without an outcome")
        }
        return try outcome.get()
    }

    private func frame(
        _ id: UInt64, _ node: FeatureNode, _ message: some CrossingMessage, epoch: UInt32
    ) throws(RemoteFault) -> [UInt8] {
        let header = FrameHeader(
            .ask, node: node.id, epoch: epoch, sequence: id, method: message.method.rawValue)
        var writer = CBORWriter()
        do {
            try header.write(into: &writer) { (writer) throws(CBORError) in
                try message.encode(into: &writer)
            }
        } catch {
            Anomaly.report(
                .unencodable(feature: node.feature, method: message.method, error))
            throw RemoteFault(.failed, "the question of \(node.feature) could not be encoded")
        }
        return writer.copyBytes()
    }

    /// Ends a question whose asking task no longer waits: it was cancelled, or its node is being
    /// unmounted, and fronts may not know of that yet.
    private func withdraw(_ id: UInt64, by node: FeatureNode, _ reason: RemoteFault) {
        end(id, .failure(questions[id]?.node == node.id ? reason : Self.gone))
    }

    private static let gone = RemoteFault(.gone, "the node that asked is unmounted")

    /// Handles a front's answer. Drops a late answer, since its front already knows that the
    /// question is over, and the answer of a front that was not asked.
    func answered(_ id: UInt64, by front: FrontSeat, _ payload: Payload) {
        guard let question = questions[id], question.fronts.contains(where: { $0 === front })
        else { return }
        question.terms?.answeredBy = front.attached
        end(id, .success(payload), toldBy: front)
    }

    /// Asks a newly attached front the open questions.
    func frontJoined(_ front: FrontSeat) {
        guard front.isAskable else { return frontLeft(front) }
        for id in questions.keys.sorted() where front.shows(questions[id]?.recipient) {
            if questions[id]?.fronts.contains(where: { $0 === front }) == false {
                questions[id]?.fronts.append(front)
            }
            if let question = questions[id] { front.ordered(question.frame) }
        }
    }

    /// Drops a front that has left for good. A question that no other front can answer fails,
    /// unless it waits for one.
    func frontLeft(_ front: FrontSeat) {
        let fault = RemoteFault(.noFront, "the last front that could answer has left")
        for id in questions.keys {
            questions[id]?.fronts.removeAll { $0 === front }
            if questions[id]?.isHopeless == true { end(id, .failure(fault)) }
        }
    }

    /// Ends the questions of unmounted nodes.
    func unmounted(where isGone: (UInt32) -> Bool) {
        for (id, question) in questions where isGone(question.node) {
            end(id, .failure(Self.gone))
        }
    }

    private func end(
        _ id: UInt64, _ outcome: Result<Payload, RemoteFault>, toldBy teller: FrontSeat? = nil
    ) {
        guard let question = questions.removeValue(forKey: id) else { return }
        bytes -= question.frame.count
        let news = AskEnded(answeredBy: teller?.attached.description)
        for front in question.fronts where front !== teller {
            front.ordered(FrameHeader(.askEnded, sequence: id), news)
        }
        question.stage.observer?.askEnded(
            question.node, question.feature, question.method, askedAt: question.askedAt, outcome,
            by: teller)
        let asker = question.asker
        asker.outcome = outcome
        guard asker.gate.isOccupied else { return }
        // The task that an answer resumes may run now: nothing is in progress except the frame that
        // carried the answer. Any other end comes in the middle of something.
        if teller == nil { asker.gate.open() } else { asker.gate.openNow() }
    }
}
