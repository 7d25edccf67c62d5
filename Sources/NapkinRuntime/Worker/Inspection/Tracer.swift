// Tracer: somebody who wants to see a session's messages as they pass.
//
// Layer      runtime: performs what TraceQueue decides.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the session's observer until nobody fetches any more.
// Invariant  at most one fetch waits.
// Spec       Protocol/SPEC.md, section 6.7 (query)

import NapkinProtocol
import NapkinTransport

/// Collects messages, and hands them to the fetch that waits at the end of a turn.
@MainActor
final class Tracer: Flushable {
    let number: UInt64
    let wantsValues: Bool
    private let feature: String?
    private var queue = TraceQueue()
    private var waiting: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?
    /// Absent when the tracer has ended.
    private var expired: (@MainActor () -> Void)?

    /// - Parameter expired: called when nobody has fetched for a while.
    init(
        number: UInt64, feature: String?, wantsValues: Bool,
        expired: @escaping @MainActor () -> Void
    ) {
        self.number = number
        self.feature = feature
        self.wantsValues = wantsValues
        self.expired = expired
    }

    var info: SessionQueues.Tracer {
        SessionQueues.Tracer(
            tracer: number, messages: queue.count, bytes: queue.bytes, lost: queue.lost)
    }

    func add(_ message: TracedMessage) {
        if let feature, message.feature != feature { return }
        var message = message
        if !wantsValues { message.value = nil }
        queue.add(message)
        if waiting != nil { Loop.shared.scheduleFlush(self) }
    }

    func flush() { wake() }

    /// The first batch, with nothing in it.
    func begin() -> TraceBatch {
        startTimer()
        return TraceBatch(tracer: number, lost: 0, messages: [])
    }

    private func startTimer() {
        guard let expired else { return }
        timer = LoopTimer(after: .seconds(Limits.inspectionSeconds), expired)
    }

    /// What has passed since the last fetch; waits a while for something if that is nothing.
    func fetch() async -> TraceBatch {
        timer?.cancel()
        wake()
        if queue.isEmpty {
            timer = LoopTimer(after: .seconds(Limits.inspectionHoldSeconds)) { [weak self] in
                self?.wake()
            }
            await withCheckedContinuation { waiting = $0 }
            timer?.cancel()
        }
        startTimer()
        let (messages, lost) = queue.take()
        return TraceBatch(tracer: number, lost: lost, messages: messages)
    }

    /// The session has ended, or nobody fetches.
    func end() {
        expired = nil
        timer?.cancel()
        wake()
    }

    private func wake() {
        guard let waiting = waiting.take() else { return }
        Loop.keepingResumesOnLoop { waiting.resume() }
    }
}
