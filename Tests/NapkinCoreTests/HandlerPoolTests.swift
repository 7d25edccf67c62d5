// HandlerPoolTests: messages that a runner takes one after another.

import TestSupport
import Testing

@testable import NapkinCore

@MainActor
@Suite struct HandlerPoolTests {
    /// Handles numbers; some of them wait, or cancel their task.
    @MainActor
    private final class Numbers: CrossingReceiver {
        var begun: [UInt32] = []
        var ended: [UInt32] = []
        /// What was handled in a task that had been cancelled.
        var cancelled: [UInt32] = []
        var tasks: Set<TaskIdentity> = []
        var latches: [UInt32: Latch] = [:]
        var cancels: Set<UInt32> = []

        func receive(
            _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
        ) {
            call.start { [self] call in await handle(method, payload, call) }
        }

        func handle(
            _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
        ) async {
            let number = method.rawValue
            begun.append(number)
            if Task.isCancelled { cancelled.append(number) }
            if let task = TaskIdentity.current { tasks.insert(task) }
            if cancels.contains(number) { withUnsafeCurrentTask { $0?.cancel() } }
            await latches[number]?.wait()
            ended.append(number)
        }

        func receive(_ message: any CrossingMessage, _ call: IncomingCall) {}
    }

    /// A call that runs in a pool, if a runner is free.
    @MainActor
    private final class Call: IncomingCall {
        let pool: HandlerPool

        init(_ pool: HandlerPool) {
            self.pool = pool
            super.init()
        }

        override func start(_ handler: consuming @escaping Handler) {
            let handler = handler
            if !pool.run(self, handler) { super.start(handler) }
        }
    }

    private let pool = HandlerPool()
    private let numbers = Numbers()

    /// Drains a source of messages, of which those that are `silent` have nothing to handle.
    private func drain(_ range: ClosedRange<UInt32>, silent: Set<UInt32> = []) {
        var next = range.lowerBound
        let call = Call(pool)
        pool.drain {
            guard next <= range.upperBound else { return false }
            defer { next += 1 }
            guard !silent.contains(next) else { return true }
            pool.handle(
                PulledMessage(
                    numbers, MethodID(rawValue: next), UnsafeRawBufferPointer(start: nil, count: 0),
                    call))
            return true
        }
    }

    /// Has a runner: it is hired when a message finds none, and waits from the next turn on.
    private func hire() async {
        drain(0...0)
        await letOthersRun()
        numbers.ended = []
        numbers.begun = []
        numbers.tasks = []
    }

    @Test func `one runner handles what is there, in order`() async {
        await hire()
        #expect(pool.freeCount == 1)
        drain(1...100, silent: [1, 2, 50, 100])
        let handled = (1...100).filter { ![1, 2, 50, 100].contains($0) }.map(UInt32.init)
        #expect(numbers.ended == handled && numbers.tasks.count == 1)
        #expect(pool.freeCount == 1)
        drain(101...102)
        #expect(numbers.ended == handled + [101, 102])
    }

    @Test func `without a runner each message has its own task, in order`() async {
        // A task that has ended may give its memory, and so its identity, to the next.
        let latches = (1...5).map { ($0 as UInt32, Latch()) }
        numbers.latches = Dictionary(uniqueKeysWithValues: latches)
        drain(1...5)
        #expect(numbers.begun == [1, 2, 3, 4, 5] && numbers.tasks.count == 5)
        for (_, latch) in latches { latch.open() }
        while numbers.ended.count < 5 { await letOthersRun() }
        #expect(numbers.ended == [1, 2, 3, 4, 5])
    }

    @Test func `what waits holds up nothing behind it`() async {
        await hire()
        let latches = [2, 5].map { ($0 as UInt32, Latch()) }
        numbers.latches = Dictionary(uniqueKeysWithValues: latches)
        drain(1...9)
        #expect(numbers.begun == Array(1...9))
        #expect(numbers.ended == [1, 3, 4, 6, 7, 8, 9])
        for (_, latch) in latches { latch.open() }
        await letOthersRun()
        #expect(numbers.ended == [1, 3, 4, 6, 7, 8, 9, 2, 5])
        drain(10...12)
        #expect(numbers.ended.suffix(3) == [10, 11, 12])
    }

    @Test func `more may wait than there are runners`() async {
        let count = UInt32(3 * HandlerPool.runnersMax)
        let latch = Latch()
        numbers.latches = Dictionary(uniqueKeysWithValues: (1...count).map { ($0, latch) })
        for number in 1...count {
            drain(number...number)
            await letOthersRun()
        }
        #expect(numbers.begun == Array(1...count) && numbers.ended == [])
        latch.open()
        await letOthersRun()
        #expect(numbers.ended.sorted() == Array(1...count))
        #expect(pool.freeCount <= HandlerPool.runnersMax)
    }

    @Test func `no message is handled in a task that was cancelled`() async {
        await hire()
        numbers.cancels = [3, 4]
        drain(1...10)
        #expect(numbers.ended == Array(1...10) && numbers.cancelled == [])
        await letOthersRun()
        drain(11...20)
        #expect(numbers.ended == Array(1...20) && numbers.cancelled == [])
    }

    @Test func `what is borrowed for a call is handled within it`() async {
        await hire()
        var left = 3
        pool.drain {
            guard left > 0 else { return false }
            left -= 1
            let before = numbers.begun.count
            pool.atOnce {
                let number = MethodID(rawValue: UInt32(before))
                pool.handle(
                    PulledMessage(
                        numbers, number, UnsafeRawBufferPointer(start: nil, count: 0), Call(pool)))
            }
            #expect(numbers.begun.count == before + 1)
            return true
        }
        #expect(numbers.ended == [0, 1, 2])
    }
}
