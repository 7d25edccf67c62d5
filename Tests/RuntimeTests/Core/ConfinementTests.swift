// ConfinementTests: a sequence that passes only while a scope is active.

import NapkinCore
import TestSupport
import Testing

extension CountedEvents {
    /// Returns when `count` have been taken, and what that brought about has happened.
    fileprivate func isRead(_ count: Int) async {
        await areTaken(count)
        await letOthersRun()
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ConfinementTests {
    /// What has been read so far, and that it is over.
    @MainActor
    private final class Reading {
        var values: [Int] = []
        var hasEnded = false

        func settles(at count: Int) async -> [Int] {
            while values.count < count { await Task.yield() }
            await letOthersRun()
            return values
        }
    }

    private let probe = Probe()
    private let bus = EventBus<Int>()

    private func read<Base: AsyncSequence>(
        _ sequence: ConfinedSequence<Base>, into reading: Reading
    ) -> Task<Void, Never> where Base.Element == Int, Base.Failure == Never {
        Task.immediate {
            for await value in sequence { reading.values.append(value) }
            reading.hasEnded = true
        }
    }

    @Test("W5: while the scope is active every element passes, those that are there without a hop")
    func passes() async {
        await probe.activate()
        let events = bus.events
        for event in 1...10 { bus.send(event) }
        let reading = Reading()
        let task = read(events.confined(to: probe), into: reading)
        // Read in the task that started at once: nothing has been waited for.
        #expect(reading.values == Array(1...10))
        bus.send(11)
        #expect(await reading.settles(at: 11) == Array(1...11))
        task.cancel()
        await task.value
        #expect(reading.hasEnded)
    }

    @Test("W5: of what comes while the scope is inactive, the newest passes, when it is active")
    func keepsTheNewest() async {
        let reading = Reading()
        let events = CountedEvents(bus)
        let task = read(events.confined(to: probe), into: reading)
        for round in 0..<3 {
            await events.isRead(round * 6)
            for event in 1...5 { bus.send(round * 10 + event) }
            await events.isRead(round * 6 + 5)
            #expect(reading.values.count == round * 2)
            await probe.activate()
            _ = await reading.settles(at: round * 2 + 1)
            #expect(reading.values.last == round * 10 + 5)
            bus.send(round * 10 + 6)
            _ = await reading.settles(at: round * 2 + 2)
            await probe.deactivate()
        }
        #expect(reading.values == [5, 6, 15, 16, 25, 26])
        task.cancel()
        await task.value
    }

    @Test("W5: a reader that is busy when the scope is inactive gets the newest only, too")
    func keepsTheNewestForTheBusy() async {
        await probe.activate()
        let events = CountedEvents(bus)
        var elements = events.confined(to: probe).makeAsyncIterator()
        bus.send(1)
        #expect(await elements.next() == 1)
        await probe.deactivate()
        // Nobody waits for an element, and it is read all the same.
        await events.isRead(1)
        for event in 2...6 { bus.send(event) }
        await events.isRead(6)
        await probe.activate()
        #expect(await elements.next() == 6)
    }

    @Test("W5: it ends with the base, after its last element")
    func endsWithTheBase() async {
        await probe.activate()
        let reading = Reading()
        var cell: StateCell<Int>? = StateCell(7)
        guard let values = cell?.values else { return }
        let task = read(values.confined(to: probe), into: reading)
        #expect(reading.values == [7])
        cell = nil
        await task.value
        #expect(reading.values == [7])
    }

    @Test("W5: it ends with the scope, which it holds weakly, and lets the base go")
    func endsWithTheScope() async {
        let reading = Reading()
        var scope: Probe? = Probe()
        weak let held = scope
        var task: Task<Void, Never>?
        if let scope {
            await scope.activate()
            task = read(bus.events.confined(to: scope), into: reading)
        }
        bus.send(1)
        _ = await reading.settles(at: 1)
        scope = nil
        await task?.value
        #expect(held == nil)
        #expect(reading.values == [1])
        #expect(reading.hasEnded)
    }

    @Test("what is confined to a scope that is gone is empty")
    func isEmptyWithoutScope() async {
        let sequence = bus.events.confined(to: Probe())
        let reading = Reading()
        await read(sequence, into: reading).value
        #expect(reading.values == [])
    }

    @Test("a base that throws ends it with its error, when the scope is active")
    func throwsOn() async {
        struct Mishap: Error {}
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        continuation.yield(1)
        continuation.finish(throwing: Mishap())
        await probe.activate()
        var values: [Int] = []
        await #expect(throws: Mishap.self) {
            for try await value in stream.confined(to: probe) { values.append(value) }
        }
        #expect(values == [1])
    }

    @Test("nothing is kept of what nobody reads: the reader's end is the base's")
    func letsTheBaseGo() async {
        let cell = StateCell(0)
        weak var scope: Probe?
        do {
            let probe = Probe()
            scope = probe
            var values = cell.values.confined(to: probe).makeAsyncIterator()
            await probe.activate()
            #expect(await values.next() == 0)
            await probe.deactivate()
            await letOthersRun()
        }
        while scope != nil { await Task.yield() }
    }
}
