// Tracer: collects a session's messages for a tool that shows them as they pass.
//
// Ownership  owned by the session's observer until no tool fetches from it any more.
// Invariant  at most one fetch waits.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinProtocol
import NapkinTransport

/// Collects messages, and passes them to the waiting fetch at the end of a turn.
@MainActor
final class Tracer: Flushable {
    var isFlushScheduled = false
    let number: UInt64
    let wantsValues: Bool
    private let feature: String?
    private var queue = TraceQueue()
    private var waiting: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?
    /// Called when nobody has fetched for a while; absent when the tracer has ended.
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

    /// Returns the first batch, which is empty.
    func begin() -> TraceBatch {
        startTimer()
        return TraceBatch(tracer: number, lost: 0, messages: [])
    }

    private func startTimer() {
        guard let expired else { return }
        timer = LoopTimer(after: .seconds(Limits.inspectionSeconds), expired)
    }

    /// Returns the messages since the last fetch; if there are none, waits a while for some.
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
