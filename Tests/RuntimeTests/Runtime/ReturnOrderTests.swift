// ReturnOrderTests: a suspect input runs after the other fronts have been served.

import NapkinTesting
import Testing

@testable import NapkinWorker

@Suite(.timeLimit(.minutes(10)))
@MainActor
struct ReturnOrderTests {
    private let journal = Journal()

    /// Has a suspect input wait, of a front or of a timer.
    private func suspect(in order: ReturnOrder, isFront: Bool) -> Task<Void, Never> {
        Task.immediate {
            await order.turnOfSuspect(of: isFront ? 7 : nil)
            journal.note("ran")
        }
    }

    @Test(arguments: [(1, true), (0, false)])
    func `with no other front, a suspect waits for nobody`(fronts: Int, isFront: Bool) async {
        let order = ReturnOrder(expecting: fronts)
        await suspect(in: order, isFront: isFront).value
        #expect(journal.lines == ["ran"])
    }

    @Test(arguments: [true, false])
    func `the others are back for a moment before a suspect runs`(isFront: Bool) async {
        let order = ReturnOrder(expecting: isFront ? 3 : 2)
        let task = suspect(in: order, isFront: isFront)
        for number in 1...2 {
            order.attached()
            journal.note("front \(number)")
        }
        await Task.yield()
        journal.note("served")
        await task.value
        #expect(journal.lines == ["front 1", "front 2", "served", "ran"])
        // Whoever comes later waits for nobody.
        await suspect(in: order, isFront: isFront).value
    }

    @Test func `who does not come back is not waited for long`() async {
        let order = ReturnOrder(expecting: 3)
        let tasks = [true, false].map { suspect(in: order, isFront: $0) }
        order.attached()
        for task in tasks { await task.value }
        #expect(journal.lines == ["ran", "ran"])
        for _ in 1...9 { order.attached() }
    }
}
