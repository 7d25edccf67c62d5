// HistoryTests: the checker of histories finds each fault that is planted.

import ProofSupport
import Testing

struct HistoryTests {
    /// A history with one event of each plan, and each end that it can have.
    private func sound() -> (History, History.Recovered) {
        var history = History()
        let events: [(Int64, Int, History.Plan, History.Outcome?)] = [
            (1, 1, .once, .value(place: 1)),
            (2, 1, .twice, .value(place: 4)),
            (3, 2, .fails, .failed),
            (4, 2, .failsLater, .failed),
            (5, 1, .twice, .interrupted),
            (6, 1, .later, .value(place: 6)),
            (7, 2, .aside, .value(place: nil)),
            (8, 1, .once, .notExecuted),
            (9, 3, .twice, nil),
        ]
        for (amount, front, plan, _) in events { history.sent(amount, by: front, plan) }
        history.attached(1, epoch: 7)
        history.showed([1], on: 1)
        history.showed([1, 2], on: 2)
        history.noted("the worker died")
        history.attached(1, epoch: 7)
        history.showed([1, 2, 4, 2, 5], on: 1)
        history.flashed(7, on: 1)
        for (amount, _, _, outcome) in events {
            if let outcome { history.ended(amount, outcome) }
        }
        return (history, .init(entries: [1, 2, 4, 2, 5, 6, 7, 9], interrupted: 2))
    }

    private func found(
        _ plant: (inout History, inout History.Recovered) -> Void
    ) -> String {
        var (history, recovered) = sound()
        plant(&history, &recovered)
        return history.violations(recovered).joined(separator: "\n")
    }

    @Test func `a sound history has no violation`() {
        #expect(found { _, _ in } == "")
        #expect(found { $1.entries.removeLast() } == "")
        #expect(found { $1.interrupted = 1 } == "")
    }

    @Test func `of the plans of a proof, a third throws and a third waits after a change`() {
        var random = Randomness(seed: 5)
        var drawn: [History.Plan: Int] = [:]
        for _ in 0..<9000 { drawn[.draw(&random), default: 0] += 1 }
        func count(_ plans: History.Plan...) -> Int {
            plans.reduce(0) { $0 + drawn[$1, default: 0] }
        }
        #expect((2800...3200).contains(count(.fails, .marksFails, .failsLater)))
        #expect((2800...3200).contains(count(.twice, .failsLater)))
        #expect(drawn.count == History.Plan.allCases.count)
    }

    @Test func `an acknowledged event that is lost is found`() {
        let text = found { $1.entries.removeAll { $0 == 6 } }
        #expect(text.contains("6: the end of 'later' is value"))
        #expect(text.contains("front 1 sends 6"))
    }

    @Test func `a state that was shown too early is found`() {
        let text = found { history, _ in history.showed([1, 2, 9, 4], on: 4) }
        #expect(text.contains("front 4 was shown 4 entries that are not the first of 8"))
    }

    @Test func `a state that was shown and is gone is found, also if it comes back`() {
        let text = found { history, _ in
            history.noted("the worker died again")
            history.showed([1, 2, 4], on: 1)
            history.showed([1, 2, 4, 2, 5, 6, 7, 9], on: 1)
        }
        #expect(text.contains("front 1 was shown 5 entries, of which 2, from place 4 (2, 5)"))
    }

    @Test func `an effect of what was taken back is found`() {
        let text = found { history, _ in history.flashed(3, on: 2) }
        #expect(text.contains("the effect of 3"))
    }

    @Test func `an event that was applied twice is found`() {
        let text = found { $1.entries.append(7) }
        #expect(text.contains("7: the end of 'aside'") && text.contains("is there 2"))
    }

    @Test func `an interrupted event that ran again is found`() {
        let text = found { $1.entries.append(5) }
        #expect(text.contains("5: the end of 'twice' is interrupted") && text.contains("[5, 9]"))
    }

    @Test func `an interrupted event that left nothing is found`() {
        let text = found { $1.entries.removeAll { $0 == 5 } }
        #expect(text.contains("5: the end of 'twice' is interrupted") && text.contains("0: []"))
    }

    @Test func `a handler that did not wait was not interrupted`() {
        let text = found { history, _ in
            history.sent(10, by: 1, .once)
            history.ended(10, .interrupted)
        }
        #expect(text.contains("10: a handler that is to do 'once' ended as interrupted"))
    }

    @Test func `what a failed handler has left is found`() {
        #expect(found { $1.entries.append(3) }.contains("3: the end of 'fails' is failed"))
        let later = found { $1.entries.append(4) }
        #expect(later.contains("4: the end of 'failsLater' is failed"))
    }

    @Test func `an event that was said not to have run and did is found`() {
        #expect(found { $1.entries.append(8) }.contains("8: the end of 'once' is notExecuted"))
    }

    @Test func `events of one front that are out of order are found`() {
        let text = found { history, recovered in
            for amount in [11, 12] as [Int64] { history.sent(amount, by: 5, .once) }
            recovered.entries += [12, 11]
        }
        #expect(text.contains("front 5 sent 11 before 12, and they are at 10 and 9"))
    }

    @Test func `an answer of a former life that contradicts is found`() {
        let place = found { history, recovered in
            history.sent(10, by: 1, .once)
            history.ended(10, .value(place: 8))
            recovered.entries.append(10)
        }
        #expect(place.contains("its answer says place 8, and it is at [9]"))
        let twice = found { history, _ in history.ended(1, .failed) }
        #expect(twice.contains("1 ended twice: value"))
    }

    @Test func `three deaths end an event, one of which its front may have known later`() {
        func text(_ facts: String) -> String? {
            var history = History()
            for (number, fact) in facts.enumerated() {
                switch fact {
                case "a": history.attached(1, epoch: 7, count: number)
                case "s": history.sent(1, by: 1, .once)
                default: history.noted("the worker died")
                }
            }
            history.ended(1, .unknown)
            return history.violation
        }
        #expect(["asddd", "adsdd", "addsdd"].allSatisfy { text($0) == nil })
        for facts in ["asdd", "adasdd", "addsd"] {
            #expect(text(facts)?.contains("unknown after too few deaths") == true)
        }
    }

    @Test func `another epoch is found`() {
        let text = found { history, _ in history.attached(2, epoch: 8) }
        #expect(text.contains("attached to epoch 8, of a session of epoch 7"))
    }

    @Test func `handlers that are reported as interrupted twice, or not, are found`() {
        for count in [0, 3] {
            #expect(found { $1.interrupted = count }.contains("was told of \(count) interrupted"))
        }
    }

    @Test func `an amount that nobody sent is found`() {
        #expect(found { $1.entries.append(99) }.contains("99 is there, and nobody has sent it"))
    }

    @Test func `an excerpt shows one event, and the deaths while it was under way`() {
        let text = found { $1.entries.removeAll { $0 == 1 } }
        let lines = text.split(separator: "\n").prefix(6)
        #expect(lines.contains("    front 1 sends 1, once"))
        #expect(lines.contains("    -- the worker died"))
        #expect(lines.allSatisfy { !$0.contains("sends 2") })
    }

    /// Two pages, with a mark on each, and one that came too late for the first.
    private func foundOnPages(
        _ plant: (inout History, inout History.Recovered) -> Void
    ) -> String {
        var history = History()
        let plans: [History.Plan] = [.turns, .marks, .marksFails, .turns, .marks, .marks]
        for (index, plan) in plans.enumerated() { history.sent(Int64(index + 1), by: 1, plan) }
        history.ended(3, .failed)
        history.ended(6, .gone)
        history.showed(.init(number: 1, marks: [2]), on: 1)
        history.showed(.init(number: 4, marks: []), on: 1)
        var recovered = History.Recovered(
            entries: [1, 2, 4, 5], interrupted: 0, page: .init(number: 4, marks: [5]))
        plant(&history, &recovered)
        return history.violations(recovered).joined(separator: "\n")
    }

    @Test func `pages that have what the list says are sound`() {
        #expect(foundOnPages { _, _ in } == "")
    }

    @Test func `a page that differs from the list is found`() {
        for page in [nil, .init(number: 1, marks: [2]), .init(number: 4, marks: [])]
            as [History.Page?]
        {
            #expect(foundOnPages { $1.page = page }.contains("the list has Page(number: 4"))
        }
    }

    @Test func `a page that was shown and is gone is found`() {
        let mark = foundOnPages { history, _ in
            history.showed(.init(number: 1, marks: [2, 3]), on: 2)
        }
        #expect(mark.contains("front 2 was shown Page(number: 1, marks: [2, 3])"))
        let page = foundOnPages { history, _ in history.showed(.init(number: 9, marks: []), on: 2) }
        #expect(page.contains("the list has no such page"))
    }

    /// A timer, a job that was performed twice, and a handler that has posted and thrown.
    private func foundOfOwnInputs(
        _ plant: (inout History, inout History.Recovered) -> Void
    ) -> String {
        var history = History()
        let plans: [History.Plan] = [.reminds, .posts, .fails, .posts]
        for (index, plan) in plans.enumerated() { history.sent(Int64(index + 1), by: 1, plan) }
        history.posted(2, key: "k2")
        for amount in [1, 2] as [Int64] { history.ended(amount, .value(place: nil)) }
        history.ended(3, .failed)
        let performed = ["k4", "k2", "k2"].map { key in
            History.Performance(amount: key == "k2" ? 2 : 4, key: key)
        }
        var recovered = History.Recovered(
            entries: [4, 2, 1], interrupted: 0, performed: performed)
        plant(&history, &recovered)
        return history.violations(recovered).joined(separator: "\n")
    }

    @Test func `timers that have fired and jobs that are done are sound`() {
        #expect(foundOfOwnInputs { _, _ in } == "")
        var history = History()
        history.sent(1, by: 1, .reminds)
        #expect(history.awaited(in: .init(entries: [], interrupted: 0)) == [])
        history.ended(1, .value(place: nil))
        #expect(history.awaited(in: .init(entries: [], interrupted: 0)) == [1])
    }

    @Test func `a timer that has not fired, or has twice, is found`() {
        let lost = foundOfOwnInputs { $1.entries = [4, 2] }
        #expect(lost.contains("1: the end of 'reminds' is value"))
        #expect(foundOfOwnInputs { $1.entries.append(1) }.contains("is there 2: [3, 4]"))
    }

    @Test func `a job that is lost, or done and not performed, is found`() {
        let lost = foundOfOwnInputs { $1.entries = [4, 1] }
        #expect(lost.contains("2: the end of 'posts' is value"))
        #expect(lost.contains("the job of 2, 'posts', was performed, and its result is at []"))
        let idle = foundOfOwnInputs { $1.performed.removeFirst() }
        #expect(idle.contains("the result of 4 is there, and its job was never performed"))
    }

    @Test func `a job with another key is found`() {
        let other = foundOfOwnInputs { $1.performed[2].key = "x" }
        #expect(other.contains(#"of 2 was performed with the keys ["k2", "x"]"#))
        let told = foundOfOwnInputs { history, _ in history.posted(2, key: "x") }
        #expect(told.contains("its front was told x"))
    }

    @Test func `a job of a handler that has thrown is found`() {
        let text = foundOfOwnInputs { $1.performed.append(.init(amount: 3, key: "k3")) }
        #expect(text.contains("the job of 3, 'fails', was performed"))
    }
}
