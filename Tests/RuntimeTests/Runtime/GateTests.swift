// GateTests: when a task that waits in a `Gate` continues, and in which order with its opener.
//
// Isolation  @MainActor (main queue, loop embedded).

import NapkinCore
import NapkinTransport
import TestSupport
import Testing

/// What happened, in order.
@MainActor
private final class Notes {
    private(set) var lines: [String] = []
    func note(_ line: String) { lines.append(line) }
}

/// A value that goes with a task.
private enum Mark {
    @TaskLocal static var current = 0
}

extension RuntimeTests {
    /// A task that passes the gates one after another, and notes when it has.
    private func walk(
        _ gates: Gate..., noting notes: Notes, as name: String = "task"
    ) -> Task<Void, Never> {
        Task.immediate {
            for gate in gates {
                notes.note("\(name) waits")
                await gate.pass()
                MainActor.preconditionIsolated()
                notes.note("\(name) goes on")
            }
        }
    }

    /// Runs `body` as a callback of the loop.
    private func onLoop(_ body: @escaping @MainActor () -> Void) async {
        let done = Latch()
        _ = LoopTimer(after: .zero) {
            body()
            done.open()
        }
        await done.wait()
    }

    @Test func `a gate that is opened in a task runs the other one, and then goes on as itself`()
        async
    {
        let (gate, notes) = (Gate(), Notes())
        let task = walk(gate, noting: notes)
        await Mark.$current.withValue(7) {
            gate.openNow()
            notes.note("opener goes on with \(Mark.current)")
            await Task.yield()
            notes.note("and later with \(Mark.current)")
        }
        await task.value
        #expect(
            notes.lines == [
                "task waits", "task goes on", "opener goes on with 7", "and later with 7",
            ])
    }

    @Test func `a gate that is opened lets its task go on later, and on the main actor`()
        async throws
    {
        let (gate, notes) = (Gate(), Notes())
        #expect(!gate.isOccupied)
        let task = walk(gate, noting: notes)
        #expect(gate.isOccupied)
        await turn()
        #expect(notes.lines == ["task waits"])
        gate.open()
        notes.note("opened")
        #expect(!gate.isOccupied)
        await task.value
        #expect(notes.lines == ["task waits", "opened", "task goes on"])
    }

    @Test func `a gate that is opened in a callback lets its task go on after it`()
        async throws
    {
        let (gate, notes) = (Gate(), Notes())
        let task = walk(gate, noting: notes)
        await onLoop {
            gate.open()
            notes.note("opened")
        }
        await task.value
        #expect(notes.lines == ["task waits", "opened", "task goes on"])
    }

    @Test func `opened now, a gate lets its task run to its next suspension`() async throws {
        let (first, second, notes) = (Gate(), Gate(), Notes())
        let task = walk(first, second, noting: notes)
        await onLoop {
            first.openNow()
            notes.note("opened")
            #expect(second.isOccupied)
            second.openNow()
            notes.note("opened")
        }
        #expect(
            notes.lines == [
                "task waits", "task goes on", "task waits", "opened", "task goes on", "opened",
            ])
        await task.value
    }

    @Test func `tasks go on in the order in which their gates were opened`() async throws {
        let notes = Notes()
        let gates = (0..<5).map { _ in Gate() }
        let tasks = gates.indices.map { walk(gates[$0], noting: notes, as: "\($0)") }
        await onLoop {
            for index in [3, 0, 4] { gates[index].open() }
            gates[1].openNow()
            gates[2].open()
        }
        for task in tasks { await task.value }
        let order = notes.lines.filter { $0.hasSuffix("goes on") }.map { $0.prefix(1) }
        #expect(order == ["1", "3", "0", "4", "2"])
    }

    @Test func `a gate is as good as new each time`() async throws {
        let (gate, notes) = (Gate(), Notes())
        let count = 10_000
        let task = Task.immediate {
            for _ in 0..<count { await gate.pass() }
            notes.note("done")
        }
        await onLoop { for _ in 0..<(count / 2) { gate.openNow() } }
        for _ in 0..<(count / 2) {
            #expect(gate.isOccupied)
            gate.open()
            while !gate.isOccupied, notes.lines.isEmpty { await Task.yield() }
        }
        await task.value
        #expect(notes.lines == ["done"])
        #expect(!gate.isOccupied)
    }

    @Test func `more tasks than one turn has room for go on in order`() async throws {
        let (notes, count) = (Notes(), 3000)
        let gates = (0..<count).map { _ in Gate() }
        let tasks = gates.indices.map { index in
            Task.immediate {
                await gates[index].pass()
                notes.note("\(index)")
            }
        }
        await onLoop { for gate in gates { gate.open() } }
        for task in tasks { await task.value }
        #expect(notes.lines == (0..<count).map { "\($0)" })
    }

    @Test func `cancellation does not open a gate, and is seen behind it`() async throws {
        let gate = Gate()
        let task = Task.immediate {
            await gate.pass()
            return Task.isCancelled
        }
        task.cancel()
        await turn()
        #expect(gate.isOccupied)
        gate.open()
        #expect(await task.value)
    }

    @Test func `a task is the same behind a gate as before it`() async throws {
        let gates = [Gate(), Gate()]
        let tasks = [1, 2].map { number in
            Mark.$current.withValue(number) {
                Task.immediate {
                    let before = withUnsafeCurrentTask { $0?.hashValue }
                    await gates[number - 1].pass()
                    let after = withUnsafeCurrentTask { $0?.hashValue }
                    return before == after && Mark.current == number
                }
            }
        }
        await onLoop {
            let own = withUnsafeCurrentTask { $0?.hashValue }
            for gate in gates { gate.openNow() }
            #expect(Mark.current == 0)
            #expect(withUnsafeCurrentTask { $0?.hashValue } == own)
        }
        for task in tasks { #expect(await task.value) }
    }

    @Test func `a task that was let through may wait for other things, too`() async throws {
        let (gate, latch) = (Gate(), Latch())
        let task = Task.immediate {
            await gate.pass()
            await Task.yield()
            await latch.wait()
            await gate.pass()
            return "through"
        }
        await onLoop { gate.openNow() }
        latch.open()
        while !gate.isOccupied { await Task.yield() }
        gate.open()
        #expect(await task.value == "through")
    }

    @Test func `two tasks in one gate are a mistake of the program`() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let gate = Gate()
            _ = Task.immediate { await gate.pass() }
            _ = Task.immediate { await gate.pass() }
        }
    }

    @Test func `a gate that nobody waits in cannot be opened`() async {
        await #expect(processExitsWith: .failure) { @MainActor in Gate().open() }
    }
}
