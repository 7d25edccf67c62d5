// CallLimit: ends a call's wait when its task is cancelled or its deadline passes.
//
// Isolation  @MainActor, but for `withDeadline`, which runs anywhere.
// Invariant  a wait is given up at most once, and never after it has ended.

internal import Synchronization

/// Ends every call over a crossing that `operation` has not finished `duration` from now: events
/// of a view and asks of an interactor.
///
/// ```swift
/// let receipt = try await withDeadline(.seconds(2)) { try await listener.add(item) }
/// ```
///
/// Such a call fails with `RemoteFault.Code.deadlineExceeded`, and its handler is cancelled; a call
/// that begins after the deadline fails at once and sends nothing. Nothing else is ended: code
/// between two calls runs on. Tasks that `operation` creates have the same deadline; a call that
/// they make after `withDeadline` has returned may be sent before it fails. Within another
/// deadline, the earlier one counts. A waiting call ends at most some 20 ms late.
///
/// - Parameters:
///   - duration: the time from now on, by the continuous clock.
///   - operation: makes the calls.
///
/// Throws the error that `operation` throws. A call's error is a `RemoteFault`, unless its method
/// names the error's type: then it is that type's ``CrossingError/fault(_:)``.
public func withDeadline<T, E: Error>(
    _ duration: Duration, _ operation: () async throws(E) -> T
) async throws(E) -> T {
    let deadline = min(ContinuousClock.now + duration, CallLimit.deadline ?? .now + duration)
    CallLimit.deadlines.add(1, ordering: .relaxed)
    defer { CallLimit.deadlines.subtract(1, ordering: .relaxed) }
    let result: Result<T, E> = await CallLimit.$deadline.withValue(deadline) {
        do throws(E) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

package enum CallLimit {
    @TaskLocal static var deadline: ContinuousClock.Instant?
    /// The calls of `withDeadline` that have not returned. Reading this number makes a plain call
    /// cheaper than looking up a deadline (a load instead of 50 ns, measured).
    static let deadlines = Atomic(0)

    /// Throws `.deadlineExceeded` if the calling task's deadline has passed. Call it before
    /// something is sent.
    package static func check() throws(RemoteFault) {
        guard deadlines.load(ordering: .relaxed) > 0, let deadline, deadline <= .now else { return }
        throw RemoteFault(.deadlineExceeded, "the deadline had passed before the call was sent")
    }

    /// Waits, and calls `giveUp` once, with the reason, if the calling task is cancelled or its
    /// deadline passes before `wait` has returned. `giveUp` has to end `wait`.
    @MainActor
    package static func watch(
        _ wait: @MainActor () async -> Void, giveUp: @escaping @MainActor (RemoteFault) -> Void
    ) async {
        let watch = Watch(giveUp)
        let timer = deadline.map { deadline in
            Task {
                // Throws only when the timer is cancelled, and the wait has ended then.
                try? await Task.sleep(until: deadline, clock: .continuous)
                watch.end(.deadlineExceeded, "the deadline passed before there was an answer")
            }
        }
        await withTaskCancellationHandler {
            if Task.isCancelled { watch.cancel() }
            await wait()
        } onCancel: {
            Task { @MainActor in watch.cancel() }
        }
        watch.giveUp = nil
        timer?.cancel()
    }

    /// One wait, until it has ended.
    @MainActor
    private final class Watch {
        var giveUp: ((RemoteFault) -> Void)?

        init(_ giveUp: @escaping @MainActor (RemoteFault) -> Void) { self.giveUp = giveUp }

        func cancel() { end(.cancelled, "the calling task was cancelled") }

        func end(_ code: RemoteFault.Code, _ message: String) {
            giveUp.take()?(RemoteFault(code, message))
        }
    }
}

extension RemoteFault {
    /// The error that a method throws for this fault: a `CancellationError` if the calling task has
    /// been cancelled and the fault says no more than that.
    var thrown: any Error { code == .cancelled && Task.isCancelled ? CancellationError() : self }
}
