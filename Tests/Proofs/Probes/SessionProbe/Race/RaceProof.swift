// RaceProof: two fronts answer one question at the same instant.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport
import ProofSupport

/// Has questions asked, and two fronts answer each in one turn of the loop, on two connections.
@MainActor
final class RaceProof {
    private let count: Int
    private let watchdog: Watchdog
    private var random: Randomness
    private let asker: Rival
    private let rivals: [Rival]

    init(_ daemon: DaemonProcess, count: Int, seed: UInt64, watchdog: Watchdog) {
        self.count = count
        self.watchdog = watchdog
        random = Randomness(seed: seed)
        // The one that has the questions asked is not asked itself.
        asker = Rival(daemon.address, answers: false)
        rivals = [Rival(daemon.address, answers: true), Rival(daemon.address, answers: true)]
    }

    func run() async throws {
        for rival in [asker] + rivals { try await rival.attach() }
        guard let listener = asker.screen.listener else { throw Failure("no view to ask with") }
        var wins = [0, 0]
        var firstWins = 0
        for question in 1...count {
            watchdog.report = { "question \(question)" }
            async let vote = listener.vote(question)
            var ids: [UInt64] = []
            for rival in rivals { ids.append(await rival.question()) }
            try Failure.unless(ids[0] == ids[1], "one question has the ids \(ids)")
            let first = random.below(2)
            for index in [first, 1 - first] {
                rivals[index].answer(ids[index], question * 2 + index)
            }
            let value = try await vote
            try Failure.unless(value / 2 == question, "question \(question): answer \(value)")
            let winner = value % 2
            wins[winner] += 1
            if winner == first { firstWins += 1 }
            // The next question comes after what a winner would be told of this one.
            let told = await rivals[1 - winner].toldOfEnd()
            try Failure.unless(told == ids[0], "the loser was told of \(told), not of \(ids[0])")
            try Failure.unless(
                rivals[winner].untold.isEmpty, "question \(question): the winner was told, too")
            watchdog.reset()
        }
        // Whatever is still on its way to a winner arrives before this.
        for rival in rivals {
            _ = try await rival.screen.listener?.report()
            try Failure.unless(rival.untold.isEmpty, "a winner was told of an end")
            try Failure.unless(rival.waiting.isEmpty, "a question came twice")
        }
        for rival in [asker] + rivals { await rival.detach() }
        print(
            """
            questions  \(count), each answered by two fronts in one turn: one answer each; \
            \(count) losers told, 0 winners told
            wins       \(wins[0]) and \(wins[1]); \(firstWins) for the front that answered first
            """)
    }
}

/// A front that answers when it is told to.
@MainActor
private final class Rival: Surface {
    let screen: TallyScreen
    private let front: Front
    private var end: Task<Front.End, Never>?
    private var shown: CheckedContinuation<Void, Never>?
    /// Questions that nobody has taken, and ends.
    private(set) var waiting: [UInt64] = []
    private(set) var untold: [UInt64] = []
    private var questioner: CheckedContinuation<UInt64, Never>?
    private var teller: CheckedContinuation<UInt64, Never>?

    init(_ address: DaemonAddress, answers: Bool) {
        screen = TallyScreen { _ in throw RemoteFault(.refused, "answered elsewhere") }
        front = Front(
            at: address,
            options: FrontOptions(
                app: TallyApp.id, client: "session-probe", answersAsks: answers),
            registry: screen.registry)
        front.surface = self
    }

    /// Returns when the front shows the session.
    func attach() async throws {
        end = Task { [front] in await front.run() }
        if front.tree.isEmpty { await withCheckedContinuation { shown = $0 } }
    }

    func detach() async {
        front.detach()
        _ = await end?.value
    }

    /// The next question's id.
    func question() async -> UInt64 {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return await withCheckedContinuation { questioner = $0 }
    }

    /// The question that this front is told is over.
    func toldOfEnd() async -> UInt64 {
        if !untold.isEmpty { return untold.removeFirst() }
        return await withCheckedContinuation { teller = $0 }
    }

    func answer(_ id: UInt64, _ value: Int) {
        do {
            front.answer(
                id,
                try Payload(encoding: { (writer) throws(CBORError) in
                    try writer.write(value)
                }))
        } catch {
            screen.violate("the answer \(value) cannot be encoded: \(error)")
        }
    }

    // MARK: - Surface

    func front(_ front: Front, applied changes: [TreeChange]) {
        shown?.resume()
        shown = nil
    }

    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        guard let questioner else { return waiting.append(id) }
        self.questioner = nil
        questioner.resume(returning: id)
    }

    func front(_ front: Front, askEnded id: UInt64, answeredBy: String?) {
        guard let teller else { return untold.append(id) }
        self.teller = nil
        teller.resume(returning: id)
    }

    func front(_ front: Front, disconnected reason: String) {
        screen.violate("the front was disconnected: \(reason)")
    }
}
