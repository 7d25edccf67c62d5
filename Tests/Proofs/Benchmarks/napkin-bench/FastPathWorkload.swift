// FastPathWorkload: what each piece of the fast path saves, beside what the language has for it.

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Counts, so that nothing that is measured can be left out.
@MainActor
private final class Counter: IncomingCall {
    var count = 0

    override func finish() { count &+= 1 }
}

/// Times each piece and its rival in turn.
@MainActor
struct FastPathWorkload {
    var count: Int
    var processor: Int?

    /// The two take turns, so that both see the same machine; each figure is the median round.
    private static let rounds = 15

    func report() async throws -> Report {
        var report = Report(workload: "fastpath", processor: processor)
        var times: [String: [Double]] = [:]
        for _ in 0..<Self.rounds {
            times["continuation_ns", default: []].append(await continuations())
            times["gate_ns", default: []].append(await gates())
            times["task_ns", default: []].append(tasks())
            times["runner_ns", default: []].append(try await runners())
            times["pulled_ns", default: []].append(try await pulled())
            times["noted_ns", default: []].append(try noted())
        }
        for name in times.keys.sorted() {
            report.add(name, Report.median(times[name, default: []]))
        }
        return report
    }

    private var each: Int { max(count / Self.rounds, 1) }

    private func nanoseconds(since start: UInt64) -> Double {
        Double(Placement.now() - start) / Double(each)
    }

    /// Two tasks, each of which resumes the other and waits: for one wait of one of them.
    private func continuations() async -> Double {
        var first: UnsafeContinuation<Void, Never>?
        var second: UnsafeContinuation<Void, Never>?
        let start = Placement.now()
        let task = Task { @MainActor in
            for _ in 0..<each / 2 {
                await withUnsafeContinuation { continuation in
                    second = continuation
                    Loop.keepingResumesOnLoop { first.take()?.resume() }
                }
            }
            first?.resume()
        }
        for _ in 0..<each / 2 {
            await withUnsafeContinuation { continuation in
                first = continuation
                Loop.keepingResumesOnLoop { second.take()?.resume() }
            }
        }
        let elapsed = nanoseconds(since: start)
        second?.resume()
        await task.value
        return elapsed
    }

    /// The same with gates.
    private func gates() async -> Double {
        let (first, second) = (Gate(), Gate())
        let start = Placement.now()
        let task = Task { @MainActor in
            for _ in 0..<each / 2 {
                if first.isOccupied { first.open() }
                await second.pass()
            }
            if first.isOccupied { first.open() }
        }
        for _ in 0..<each / 2 {
            if second.isOccupied { second.open() }
            await first.pass()
        }
        let elapsed = nanoseconds(since: start)
        if second.isOccupied { second.open() }
        await task.value
        return elapsed
    }

    /// A task for each handler.
    private func tasks() -> Double {
        let call = Counter()
        let handler: IncomingCall.Handler = { _ in call.count &+= 1 }
        let start = Placement.now()
        for _ in 0..<each {
            _ = Task.immediate {
                await handler(call)
                call.finish()
            }
        }
        return nanoseconds(since: start)
    }

    /// A runner for each handler.
    private func runners() async throws -> Double {
        let call = Counter()
        let pool = HandlerPool()
        while !pool.hasFree { await Task.yield() }
        let start = Placement.now()
        for _ in 0..<each {
            guard pool.hasFree else { throw BenchError("the runner of the pool is not free again") }
            pool.run(call, .closure { _ in call.count &+= 1 })
        }
        return nanoseconds(since: start)
    }

    /// A runner that takes one message after another.
    private func pulled() async throws -> Double {
        let receiver = CountingReceiver()
        let pool = HandlerPool()
        while !pool.hasFree { await Task.yield() }
        let source = CountedMessages(each, PresentCall(receiver, of: "bench", in: pool))
        let start = Placement.now()
        pool.drain(source)
        guard receiver.count == each else { throw BenchError("a message was not handled") }
        return nanoseconds(since: start)
    }

    /// What a worker notes of an event with the arguments of the benchmarks, without the time.
    private func noted() throws -> Double {
        var writer = CBORWriter()
        try writer.write(CartItem.standard(1))
        let arguments = writer.copyBytes()
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: FlightMemory.bytes, alignment: 4096)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: FlightMemory.bytes)
        let page = FlightPage(at: memory, keeping: FlightArguments(at: memory + FlightPage.bytes))
        let name = [UInt8](repeating: 5, count: FlightPage.nameBytes)
        return name.withUnsafeBytes { name in
            guard let name = name.baseAddress else { return 0 }
            return arguments.withUnsafeBytes { arguments in
                let start = Placement.now()
                for sequence in 0..<UInt64(each) {
                    page.begin(
                        .event, name: name, node: 1, feature: 2, method: 3, front: 4,
                        sequence: sequence, hash: 0, nanoseconds: start, epoch: 5, waiting: 0)
                    page.keep(arguments)
                    page.running = 0
                }
                return nanoseconds(since: start)
            }
        }
    }
}

/// So many messages without arguments.
@MainActor
private final class CountedMessages: MessageSource {
    private var left: Int
    private let call: PresentCall

    init(_ count: Int, _ call: PresentCall) {
        left = count
        self.call = call
    }

    override func nextMessage() -> ReceivedMessage? {
        guard left > 0 else { return nil }
        left -= 1
        return ReceivedMessage(
            call, MethodID(rawValue: 1), UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// Handles messages as generated code does: it calls a method of an object behind a protocol.
@MainActor
private final class CountingReceiver: CrossingReceiver {
    private let target: any Counting = CountingView()

    var count: Int { target.count }

    override func handle(_ message: consuming ReceivedMessage, _ runner: HandlerRunner?) async {
        repeat { await target.present() } while message.advance(in: runner)
    }
}

@MainActor
private protocol Counting: AnyObject {
    var count: Int { get }
    func present() async
}

@MainActor
private final class CountingView: Counting {
    private(set) var count = 0

    func present() async { count &+= 1 }
}
