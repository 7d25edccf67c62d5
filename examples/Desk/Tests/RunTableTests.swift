// RunTableTests: which run starts, as tables of orders, ends and what people want.

import DeskContract
import Testing

@testable import DeskFeature

@Suite struct RunTableTests {
    private static let now = 1_000_000.0

    /// A table in which these were accepted, in this order.
    private func table(_ orders: Order...) throws -> RunTable {
        var table = RunTable()
        for order in orders {
            _ = try table.accept(order, [:], token: "t", at: Self.now)
        }
        table.start()
        return table
    }

    private func states(_ table: RunTable) -> [Run.State] { table.runs.map(\.state) }

    private func order(
        queue: String? = nil, after: [Int] = [], retries: Int = 0, at: String? = nil,
        every: String? = nil, missed: Order.Missed? = nil, group: String? = nil,
        name: String? = nil
    ) -> Order {
        var order = Order(command: "make", name: name, queue: queue, group: group, after: after)
        (order.retries, order.at, order.every, order.missed) = (retries, at, every, missed)
        order.backoff = "10s..30s"
        return order
    }

    /// A run's newest attempt ends with this status.
    private func end(_ id: Int, _ status: Int32, in table: inout RunTable, at time: Double = now)
        throws
    {
        var run = try table.entry(id).run
        (run.status, run.state) = (status, status == 0 ? .succeeded : .failed)
        table.end(run, at: time)
        table.start()
    }

    @Test func `without a queue runs start at once, in one as many as it is wide`() throws {
        var table = try table(
            order(), order(), order(queue: "q"), order(queue: "q"), order(queue: "q"))
        #expect(states(table) == [.running, .running, .running, .waiting, .waiting])
        table.widths["q"] = 2
        table.start()
        #expect(states(table).suffix(2) == [.running, .waiting])
        table.widths["q"] = 0
        try end(3, 1, in: &table)
        #expect(states(table).suffix(3) == [.failed, .running, .waiting])
    }

    @Test func `what waits for a failure is skipped, and runs again with it`() throws {
        var table = try table(order(), order(after: [1]), order(after: [2]))
        #expect(states(table) == [.running, .waiting, .waiting])
        try end(1, 2, in: &table)
        #expect(states(table) == [.failed, .skipped, .skipped])
        try table.act(.again, on: 1, at: Self.now)
        table.start()
        #expect(states(table) == [.running, .waiting, .waiting])
        try end(1, 0, in: &table)
        try end(2, 0, in: &table)
        #expect(states(table) == [.succeeded, .succeeded, .running])
        #expect(table.runs.map(\.attempt) == [2, 1, 1])
        #expect(throws: DeskError.unknown("9")) { try self.table(order(after: [9])) }
    }

    @Test func `a failure is tried again, each wait twice as long, up to a limit`() throws {
        var table = try table(order(retries: 3))
        var waits: [Double] = []
        for _ in 1...3 {
            try end(1, 1, in: &table)
            #expect(states(table) == [.waiting])
            let due = try #require(table.due)
            waits.append(due - Self.now)
            table.pass(to: due - 1)
            table.start()
            #expect(states(table) == [.waiting])
            table.pass(to: due)
            table.start()
            #expect(states(table) == [.running])
        }
        #expect(waits == [10, 20, 30])
        try end(1, 1, in: &table)
        #expect(states(table) == [.failed] && table.due == nil)
        // Somebody who ends one that waits ends its attempts as well.
        try table.act(.again, on: 1, at: Self.now)
        table.start()
        try end(1, 1, in: &table)
        try table.act(.kill, on: 1, at: Self.now)
        #expect(states(table) == [.killed] && table.due == nil)
    }

    @Test func `each time of a schedule is a run of its own, and missed ones are one`() throws {
        var table = try table(order(every: "15m", name: "report"))
        #expect(table.due == Self.now + 800)
        table.pass(to: Self.now + 4000)
        table.start()
        #expect(states(table) == [.waiting, .running])
        let due = try #require(table.due)
        #expect(due > Self.now + 4000 && due <= Self.now + 4900)
        #expect(try table.id("report") == 2)
    }

    /// How many runs stand for the times of a schedule, every 15 minutes from 800 s on, if nobody
    /// could start them before a moment.
    @Test(
        arguments: [
            (.skip, 810, 1), (.skip, 811, 0), (.skip, 1705, 1), (.skip, 4000, 0),
            (.once, 4000, 1), (nil, 4000, 1), (.run, 800, 1), (.run, 4000, 4),
            (.run, 1_000_000, Order.missedMax),
        ] as [(Order.Missed?, Double, Int)])
    func `missed times are made up for as the order says`(
        missed: Order.Missed?, late: Double, count: Int
    ) throws {
        var table = try table(order(every: "15m", missed: missed))
        table.pass(to: Self.now + late)
        table.start()
        #expect(states(table) == [.waiting] + [Run.State](repeating: .running, count: count))
        // It goes on with the next time, whatever has become of those before.
        let due = try #require(table.due)
        #expect(due > Self.now + late && due <= Self.now + late + 900)
    }

    @Test(
        arguments: [
            (.skip, 10, .running), (.skip, 11, .skipped), (.once, 9999, .running),
            (.run, 9999, .running), (nil, 9999, .running),
        ] as [(Order.Missed?, Double, Run.State)])
    func `a single time is missed or made up for, and a wait between attempts never is`(
        missed: Order.Missed?, late: Double, state: Run.State
    ) throws {
        var table = try table(
            order(retries: 1, at: "60s", missed: missed), order(after: [1]))
        table.pass(to: Self.now + 60 + late)
        table.start()
        #expect(states(table) == [state, state == .skipped ? .skipped : .waiting])
        #expect(table.due == nil)
        try table.act(state == .skipped ? .again : .kill, on: 1, at: Self.now)
        if state == .skipped {
            table.start()
            try end(1, 1, in: &table)
            table.pass(to: Self.now + 9999)
            table.start()
            #expect(states(table) == [.running, .waiting])
        }
    }

    /// What each verb does to a run in each state; `nil` where it makes no sense.
    @Test(
        arguments: [
            (.waiting, [.killed, nil, nil, nil, nil]),
            (.running, [.ending, .paused, nil, nil, nil]),
            (.paused, [.ending, nil, .running, nil, nil]),
            (.ending, [.ending, nil, nil, nil, nil]),
            (.failed, [nil, nil, nil, .waiting, .lost]),
            (.skipped, [nil, nil, nil, .waiting, .lost]),
        ] as [(Run.State, [Run.State?])])
    func `a verb has its states`(state: Run.State, results: [Run.State?]) throws {
        for (verb, result) in zip(Verb.allCases, results) {
            var table = try table(order())
            table.entries[0].run.state = state
            do throws(DeskError) {
                try table.act(verb, on: 1, at: Self.now)
                // `.lost` stands for one that is no longer there.
                #expect(table.runs.first?.state ?? .lost == result, "\(verb) \(state)")
            } catch {
                #expect(error == .notNow(1, state) && result == nil, "\(verb) \(state)")
            }
        }
    }

    @Test func `one that was told to end has been killed, however it ends`() throws {
        var table = try table(order(retries: 5))
        try table.act(.kill, on: 1, at: Self.now)
        try end(1, 0, in: &table)
        #expect(states(table) == [.killed])
        // Another attempt's end is not this one's.
        var late = try table.entry(1).run
        try table.act(.again, on: 1, at: Self.now)
        table.start()
        late.state = .failed
        table.end(late, at: Self.now)
        #expect(states(table) == [.running])
    }

    @Test func `a word names a run or a group`() throws {
        let table = try table(
            order(group: "web", name: "server"), order(group: "web"), order(name: "server"))
        #expect(try table.ids("2") == [2] && table.ids("web") == [1, 2])
        #expect(try table.ids("server") == [3])
        #expect(throws: DeskError.unknown("x")) { try table.ids("x") }
        #expect(throws: DeskError.unknown("7")) { try table.ids("7") }
    }

    @Test func `what is done to a name is done to the newest that can`() throws {
        var table = try table(order(every: "1h", name: "report"))
        table.pass(to: table.due ?? 0)
        table.start()
        #expect(try table.ids("report") == [2] && table.ids("report", for: .kill) == [2])
        try end(2, 0, in: &table)
        #expect(try table.ids("report", for: .again) == [2])
        #expect(try table.ids("report", for: .kill) == [1])
        try table.act(.kill, on: 1, at: Self.now)
        #expect(try table.ids("report", for: .kill) == [2])
        #expect(throws: DeskError.notNow(2, .succeeded)) {
            try table.act(.kill, on: 2, at: Self.now)
        }
    }

    @Test func `the oldest that has ended makes room, and age makes room, too`() throws {
        var table = RunTable()
        for _ in 1...RunTable.runsMax {
            _ = try table.accept(order(queue: "q"), ["A": "1"], token: "t", at: Self.now)
        }
        let full = DeskError.tooMany(RunTable.runsMax)
        #expect(throws: full) { try table.accept(order(), [:], token: "t", at: Self.now) }
        table.start()
        try end(1, 0, in: &table)
        let next = try table.accept(order(), [:], token: "t", at: Self.now)
        #expect(next.id == RunTable.runsMax + 1 && table.runs.first?.id == 2)
        #expect(table.environments.count == 2)
        try end(2, 0, in: &table)
        table.forget(endedBefore: Self.now)
        #expect(table.runs.first?.id == 2)
        table.forget(endedBefore: Self.now + 1)
        #expect(table.runs.first?.id == 3)
    }

    @Test(
        arguments: [
            Order(command: " "), Order(command: "a", name: "12"), Order(command: "a", queue: "a b"),
            Order(command: "a", retries: -1), Order(command: "a", rows: 0),
            Order(command: "a", backoff: "soon"), Order(command: "a", at: "1m", every: "1m"),
            Order(command: "a", at: "25:00"), Order(command: "a", every: "0s"),
            Order(command: String(repeating: "a", count: Order.commandBytesMax + 1)),
        ])
    func `an order that cannot be done is refused`(order: Order) {
        var table = RunTable()
        #expect(throws: DeskError.self) {
            try table.accept(order, [:], token: "t", at: Self.now)
        }
        #expect(table == RunTable())
    }
}
