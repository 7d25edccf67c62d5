// LoopProbe: checks what holds only where the loop is the main executor, one JSON line each.
//
// Isolation  @MainActor, which is the loop thread here; that is what is being checked.
// Spec       ARCHITECTURE.md (the loop).

import NapkinCore
import NapkinTransport

@main
struct LoopProbe {
    static func main() {
        Loop.main {
            let probe = Probe(loopThread: currentThread())
            await probe.runAll()
            return probe.failures == 0 ? 0 : 1
        }
    }
}

/// Runs on the loop, as every interactor does.
actor Interactor {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }
    private var count = 0

    func increment() -> Int {
        count += 1
        return count
    }

    func callBack(_ probe: Probe, times: Int) async {
        for _ in 0..<times { await probe.touch() }
    }
}

/// An ordinary actor: belongs on the pool.
actor Elsewhere {
    func thread() -> String { currentThread() }
}

@MainActor
final class Probe: Flushable {
    var isFlushScheduled = false
    let loopThread: String
    private(set) var failures = 0
    private var touches = 0
    private var flushes = 0
    private var passed: [Int] = []
    private var afterFlush: UnsafeContinuation<Void, Never>?

    init(loopThread: String) { self.loopThread = loopThread }

    func runAll() async {
        await checkThreads()
        await checkSleep()
        await checkInteractorCalls()
        await checkResumes()
        await checkConcurrentResume()
        await checkForeignEnqueues()
        await checkStarvation()
        await checkFlush()
        await checkGates()
    }

    func touch() { touches += 1 }

    func flush() {
        flushes += 1
        let continuation = afterFlush
        afterFlush = nil
        continuation?.resume()
    }

    private var isOnLoop: Bool { currentThread() == loopThread }

    private func report(_ check: String, _ passed: Bool, _ detail: String = "") {
        if !passed { failures += 1 }
        print(#"{"check":"\#(check)","ok":\#(passed),"detail":"\#(detail)"}"#)
    }

    // MARK: - Checks

    private func checkThreads() async {
        report("the main actor is the loop thread", isOnLoop && Loop.shared.isInstalled)
        let pooled = await currentThreadOfPool()
        report("a concurrent function runs off the loop thread", pooled != loopThread)
        report("a concurrent function's caller comes back to the loop thread", isOnLoop)
        let other = await Elsewhere().thread()
        report("an ordinary actor runs off the loop thread", other != loopThread && isOnLoop)
    }

    private func checkSleep() async {
        let start = ContinuousClock.now
        do {
            try await Task.sleep(for: .milliseconds(20))
            let slept = ContinuousClock.now - start
            report("Task.sleep works", slept >= .milliseconds(20) && isOnLoop, "\(slept)")
        } catch {
            report("Task.sleep works", false, "\(error)")
        }
        let task = Task { try await Task.sleep(for: .seconds(3600), clock: .suspending) }
        task.cancel()
        switch await task.result {
        case .success: report("Task.sleep can be cancelled", false)
        case .failure(let error):
            report("Task.sleep can be cancelled", error is CancellationError)
        }
    }

    private func checkInteractorCalls() async {
        let interactor = Interactor()
        let before = Loop.shared.counters
        var last = 0
        for _ in 0..<1000 { last = await interactor.increment() }
        await interactor.callBack(self, times: 1000)
        let after = Loop.shared.counters
        let foreign = after.enqueuedByOthers - before.enqueuedByOthers
        let local = after.enqueuedOnLoop - before.enqueuedOnLoop
        report(
            "1000 calls each way between an interactor and the main actor enqueue nothing",
            last == 1000 && touches == 1000 && foreign == 0 && local == 0,
            "foreign \(foreign), local \(local)")
    }

    private func checkResumes() async {
        let kept = await wakeUps { continuation in
            Loop.keepingResumesOnLoop { continuation.resume() }
        }
        report(
            "a continuation resumed inside keepingResumesOnLoop wakes nobody", kept == 0,
            "\(kept) wake-ups in 100")
        let naive = await wakeUps { continuation in continuation.resume() }
        report(
            "a continuation resumed outside goes through the pool", naive > 0,
            "\(naive) wake-ups in 100")
    }

    private func wakeUps(
        _ resume: @escaping @MainActor (UnsafeContinuation<Void, Never>) -> Void
    ) async -> UInt64 {
        let before = Loop.shared.counters
        for _ in 0..<100 {
            await withUnsafeContinuation { continuation in
                _ = LoopTimer(after: .zero) { resume(continuation) }
            }
        }
        return Loop.shared.counters.enqueuedByOthers - before.enqueuedByOthers
    }

    private func checkConcurrentResume() async {
        let thread = await threadAfterKeptResume()
        report(
            "a concurrent function resumed inside keepingResumesOnLoop goes back to the pool",
            thread != loopThread && isOnLoop)
    }

    private func checkForeignEnqueues() async {
        let before = Loop.shared.counters
        let onLoop = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 {
                group.addTask { @concurrent in await self.confirmOnLoop() }
            }
            var confirmed = 0
            for await wasOnLoop in group where wasOnLoop { confirmed += 1 }
            return confirmed
        }
        let after = Loop.shared.counters
        let foreign = after.enqueuedByOthers - before.enqueuedByOthers
        report(
            "jobs enqueued by other threads run on the loop", onLoop == 500 && foreign >= 500,
            "\(foreign) jobs, \(after.wakeUps - before.wakeUps) wake-ups")
    }

    private func confirmOnLoop() -> Bool { isOnLoop }

    private func checkStarvation() async {
        var fired = false
        _ = LoopTimer(after: .milliseconds(1)) { fired = true }
        var yields = 0
        // Each yield enqueues a job; without a budget the turn would never end.
        while !fired, yields < 50_000_000 {
            await yieldOnLoop()
            yields += 1
        }
        report("jobs that always enqueue another do not starve timers", fired, "\(yields) yields")
    }

    private func yieldOnLoop() async {
        await withUnsafeContinuation { continuation in
            Loop.keepingResumesOnLoop {
                _ = Task { @MainActor in
                    Loop.keepingResumesOnLoop { continuation.resume() }
                }
            }
        }
    }

    private func checkFlush() async {
        await withUnsafeContinuation { continuation in
            afterFlush = continuation
            for _ in 0..<3 { Loop.shared.scheduleFlush(self) }
        }
        report("an object scheduled three times in a turn is flushed once", flushes == 1)
    }

    private func checkGates() async {
        let gates = (0..<100).map { _ in Gate() }
        let tasks = gates.indices.map { index in
            Task.immediate {
                await gates[index].pass()
                self.passed.append(self.isOnLoop ? index : -1)
            }
        }
        let before = Loop.shared.counters
        let inCallback = await withUnsafeContinuation { continuation in
            _ = LoopTimer(after: .zero) {
                for gate in gates[..<50] { gate.open() }
                for gate in gates[50...] { gate.openNow() }
                let count = self.passed.count
                Loop.keepingResumesOnLoop { continuation.resume(returning: count) }
            }
        }
        let after = Loop.shared.counters
        report("gates opened now let their tasks go on in the callback", inCallback == 50)
        report(
            "tasks go through gates in order, on the loop, and wake nobody",
            passed == Array(50..<100) + Array(0..<50)
                && after.enqueuedByOthers == before.enqueuedByOthers,
            "\(passed.count) tasks, \(after.enqueuedByOthers - before.enqueuedByOthers) foreign")
        for task in tasks { await task.value }
    }
}

@concurrent
private func currentThreadOfPool() async -> String { currentThread() }

@concurrent
private func threadAfterKeptResume() async -> String {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        Task { @MainActor in Loop.keepingResumesOnLoop { continuation.resume() } }
    }
    return currentThread()
}
