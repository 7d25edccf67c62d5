// StreamTests: what services offer to read: state cells and event buses.

import NapkinCore
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
    /// What has been read so far.
    @MainActor
    private final class Reading {
        var values: [Int] = []
        var hasEnded = false
    }

    /// Reads a stream to its end, in a task that starts at once.
    private func read(_ stream: BufferedStream<Int>, into reading: Reading) -> Task<Void, Never> {
        Task.immediate {
            for await value in stream { reading.values.append(value) }
            reading.hasEnded = true
        }
    }

    @Test func `a value that is there is read at once`() async {
        let cell = StateCell(7)
        let reading = Reading()
        let task = read(cell.values, into: reading)
        #expect(reading.values == [7])
        task.cancel()
        await task.value
        #expect(reading.hasEnded)
    }

    @Test func `a slow reader of a cell sees the newest value`() async {
        let cell = StateCell(0)
        var values = cell.values.makeAsyncIterator()
        for value in 1...100 { cell.value = value }
        #expect(await values.next() == 100)
    }

    @Test func `a slow reader of a bus loses the oldest events`() async {
        let bus = EventBus<Int>(capacity: 3)
        var events = bus.events.makeAsyncIterator()
        for event in 1...5 { bus.send(event) }
        #expect(await events.next() == 3)
        #expect(await events.next() == 4)
        #expect(await events.next() == 5)
    }

    @Test func `a stream ends with its sender, after what waits`() async {
        var cell: StateCell<Int>? = StateCell(1)
        let reading = Reading()
        let stream = cell?.values
        cell = nil
        if let stream { await read(stream, into: reading).value }
        #expect(reading.values == [1])
        #expect(reading.hasEnded)
    }

    @Test func `cancelling a reader that waits ends its stream, and no other`() async {
        let bus = EventBus<Int>()
        let (first, second) = (Reading(), Reading())
        let tasks = [read(bus.events, into: first), read(bus.events, into: second)]
        tasks[0].cancel()
        await tasks[0].value
        bus.send(1)
        tasks[1].cancel()
        await tasks[1].value
        #expect(first.values.isEmpty && first.hasEnded)
        #expect(second.hasEnded)
    }

    @Test func `10,000 values sent by other threads arrive in order, the last one surely`() async {
        let cell = StateCell(0)
        let last = 10_000
        let sender = Task.detached { for value in 1...last { cell.value = value } }
        var seen: [Int] = []
        for await value in cell.values {
            seen.append(value)
            if value == last { break }
        }
        await sender.value
        #expect(seen == seen.sorted())
        #expect(seen.last == last)
    }

    @Test func `nobody keeps what a reader has left unread`() {
        final class Thing: Sendable {}
        weak var thing: Thing?
        let bus = EventBus<Thing>()
        do {
            let stream = bus.events
            let made = Thing()
            thing = made
            bus.send(made)
            withExtendedLifetime(stream) { #expect(thing != nil) }
        }
        #expect(thing == nil)
    }
}
