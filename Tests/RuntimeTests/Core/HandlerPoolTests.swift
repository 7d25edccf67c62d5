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

        override func handle(_ message: consuming ReceivedMessage, _ runner: HandlerRunner?) async {
            repeat { await handle(message.method.rawValue) } while message.advance(in: runner)
        }

        private func handle(_ number: UInt32) async {
            begun.append(number)
            if Task.isCancelled { cancelled.append(number) }
            if let task = TaskIdentity.current { tasks.insert(task) }
            if cancels.contains(number) { withUnsafeCurrentTask { $0?.cancel() } }
            await latches[number]?.wait()
            ended.append(number)
        }
    }

    /// Messages with these numbers.
    @MainActor
    private final class Source: MessageSource {
        private var messages: [(PresentCall, UInt32)]

        init(_ messages: [(PresentCall, UInt32)]) {
            self.messages = messages.reversed()
        }

        override func nextMessage() -> ReceivedMessage? {
            messages.popLast().map {
                ReceivedMessage(
                    $0, MethodID(rawValue: $1), UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    private let pool = HandlerPool()
    private let numbers = Numbers()

    private var call: PresentCall { PresentCall(numbers, of: "test", in: pool) }

    private func drain(_ range: ClosedRange<UInt32>) {
        let call = call
        pool.drain(Source(range.map { (call, $0) }))
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
        drain(1...100)
        let handled = Array(1...100 as ClosedRange<UInt32>)
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

    @Test func `one runner handles what is there for several receivers, in order`() async {
        await hire()
        let others = Numbers()
        let (call, other) = (call, PresentCall(others, of: "test", in: pool))
        pool.drain(
            Source([(call, 1), (call, 2), (other, 3), (call, 4), (other, 5), (other, 6)]))
        #expect(numbers.ended == [1, 2, 4] && others.ended == [3, 5, 6])
        #expect(numbers.tasks == others.tasks && numbers.tasks.count == 1)
    }

    @Test func `the call of what has been handled is let go before the next is taken`() async {
        await hire()
        let source = Remembering(numbers, pool)
        pool.drain(source)
        #expect(numbers.ended == [1, 2, 3])
        #expect(source.isLetGo == [true, true, true])
    }

    /// A source that makes a call for each message, and looks whether the one before is there.
    @MainActor
    private final class Remembering: MessageSource {
        private let numbers: Numbers
        private let pool: HandlerPool
        private weak var newest: PresentCall?
        private(set) var isLetGo: [Bool] = []
        private var count: UInt32 = 0

        init(_ numbers: Numbers, _ pool: HandlerPool) {
            self.numbers = numbers
            self.pool = pool
        }

        override func nextMessage() -> ReceivedMessage? {
            if count > 0 { isLetGo.append(newest == nil) }
            guard count < 3 else { return nil }
            count += 1
            let call = PresentCall(numbers, of: "test", in: pool)
            newest = call
            return ReceivedMessage(
                call, MethodID(rawValue: count), UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    @Test func `what is handled while a message is taken is handled within it`() async {
        await hire()
        let source = Interrupted(call)
        pool.drain(source)
        #expect(source.isHandledWithin == [true, true, true])
        #expect(numbers.ended == [100, 0, 101, 1, 102, 2])
    }

    /// A source that has another message handled before it gives one.
    @MainActor
    private final class Interrupted: MessageSource {
        private let call: PresentCall
        private var count: UInt32 = 0
        private(set) var isHandledWithin: [Bool] = []

        init(_ call: PresentCall) { self.call = call }

        override func nextMessage() -> ReceivedMessage? {
            guard count < 3, let numbers = call.receiver as? Numbers else { return nil }
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            let before = numbers.begun.count
            ReceivedMessage(call, MethodID(rawValue: 100 + count), nothing).receive()
            isHandledWithin.append(numbers.begun.count == before + 1)
            count += 1
            return ReceivedMessage(call, MethodID(rawValue: count - 1), nothing)
        }
    }
}
