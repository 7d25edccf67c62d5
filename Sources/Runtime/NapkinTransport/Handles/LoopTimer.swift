// LoopTimer: calls back on the loop after some time; KernelTimer is cheap until it does.
//
// Ownership  the handle retains the timer until it has fired for the last time or was cancelled.
// Invariant  a timer never fires early, and never after cancel().
// Spec       timerfd_create(2), for KernelTimer

internal import CLibuv
internal import Glibc

/// A timer of the loop. It need not be kept: it lives until it has fired or is cancelled.
@MainActor
package final class LoopTimer: HandleOwner {
    private let handle: UVHandle<uv_timer_t>
    private let repeats: Bool
    private var isOpen = true
    private var fire: (@MainActor () -> Void)?
    /// The due time of a deadline, in the loop's milliseconds; nil for any other timer.
    private var due: UInt64?
    private var delaysLeft = LoopTimer.delaysMax
    /// The time between the fires of a check, in milliseconds; nil for any other timer.
    private var period: UInt64?

    /// The lateness above which the loop itself is taken to be the cause. Chosen: far above a turn
    /// of a busy loop.
    static let latenessMilliseconds: UInt64 = 100
    /// The number of times that a deadline is postponed, so that it passes even on a loop that is
    /// always late.
    static let delaysMax = 10

    /// Starts a deadline for another side, a peer or a process. If the loop itself is late (its
    /// process was stopped or starved), the deadline is postponed by as much: input that has
    /// arrived meanwhile is read first, and shows whether the other side was late at all.
    package convenience init(deadline: Duration, _ fire: @escaping @MainActor () -> Void) {
        self.init(after: deadline, fire)
        due = Loop.shared.now + Self.milliseconds(deadline)
    }

    /// Starts a check that is due when the loop's clock shows a multiple of `interval`, so that all
    /// checks of all processes share their wake-ups. It comes within `interval`.
    ///
    /// - Parameters:
    ///   - interval: the time between two fires, rounded up to a millisecond.
    ///   - repeats: whether it fires at each multiple, or only at the first.
    ///   - fire: called at each fire.
    package convenience init(
        every interval: Duration, repeats: Bool = true, _ fire: @escaping @MainActor () -> Void
    ) {
        self.init(after: interval, repeating: repeats ? interval : nil, fire)
        period = max(1, Self.milliseconds(interval))
        startPeriod()
    }

    private func startPeriod() {
        guard let period else { return }
        start(period - Loop.shared.now % period, 0)
    }

    /// Starts a timer. Timers that fire in one turn do so in the order of their due times, then of
    /// their starts.
    ///
    /// - Parameters:
    ///   - after: the time until the first fire, rounded up to a millisecond. Zero or less: next
    ///     turn.
    ///   - repeating: the time between further fires, at least 1 ms; nil for one fire only.
    ///   - fire: called at each fire.
    package init(
        after: Duration, repeating: Duration? = nil, _ fire: @escaping @MainActor () -> Void
    ) {
        repeats = repeating != nil
        self.fire = fire
        do {
            handle = try UVHandle("start", on: "timer") { uv_timer_init($0, $1) }
        } catch {
            preconditionFailure("uv_timer_init does not fail: \(error)")
        }
        handle.attach(to: self)
        // libuv counts from the time at which the turn began, which may be long ago.
        uv_update_time(Loop.shared.raw)
        let interval = repeating.map { max(1, Self.milliseconds($0)) } ?? 0
        start(Self.milliseconds(after), interval)
        Loop.shared.handlesChanged()
    }

    private func start(_ milliseconds: UInt64, _ interval: UInt64) {
        uv_timer_start(
            handle.raw,
            { timer in onLoop(timer?.pointee.data, as: LoopTimer.self) { $0.timerFired() } },
            milliseconds, interval)
    }

    /// Stops the timer for good. A second call, or one after the last fire, changes nothing.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        fire = nil
        handle.close()
    }

    /// Suspends the caller for a while, at least until the loop's next turn. Cancellation does not
    /// end it.
    package static func wait(_ duration: Duration) async {
        await withUnsafeContinuation { continuation in
            _ = LoopTimer(after: duration) {
                Loop.keepingResumesOnLoop { continuation.resume() }
            }
        }
    }

    private func timerFired() {
        if let due, delaysLeft > 0, Loop.shared.now > due + Self.latenessMilliseconds {
            let lateness = Loop.shared.now - due
            self.due = Loop.shared.now + lateness
            delaysLeft -= 1
            return start(lateness, 0)
        }
        let fire = fire
        if repeats { startPeriod() } else { cancel() }
        fire?()
    }

    /// Converts to milliseconds, rounded up, so that no timer is early.
    static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard duration > .zero else { return 0 }
        let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : whole &+ UInt64(part)
    }
}

/// Calls back at each interval until it is cancelled; it need not be kept.
///
/// While a `LoopTimer` is set, each wait of the loop has a timeout that the kernel has to manage,
/// which costs 2 µs of a round trip of 19 (measured). This timer costs a few system calls when it
/// starts, and nothing until it fires: use it for timers that are nearly always cancelled first.
@MainActor
package final class KernelTimer {
    private enum Source {
        case descriptor(Int32, DescriptorWatcher)
        /// No descriptor was left.
        case loop(LoopTimer)
    }

    private var source: Source?
    private let fire: @MainActor () -> Void

    /// Starts a timer.
    ///
    /// - Parameters:
    ///   - interval: the time until each fire, at least a microsecond.
    ///   - fire: called at each fire; once for several that were missed.
    package init(every interval: Duration, _ fire: @escaping @MainActor () -> Void) {
        self.fire = fire
        let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        do throws(TransportError) {
            guard descriptor >= 0 else { throw LocalSocket.systemError("start", on: "a timer") }
            let watcher = try DescriptorWatcher(descriptor) { self.descriptorFired() }
            source = .descriptor(descriptor, watcher)
            let (seconds, attoseconds) = max(interval, .microseconds(1)).components
            let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            var times = itimerspec(it_interval: time, it_value: time)
            timerfd_settime(descriptor, 0, &times, nil)
        } catch {
            if descriptor >= 0 { Glibc.close(descriptor) }
            source = .loop(LoopTimer(after: interval, repeating: interval, fire))
        }
    }

    /// Stops the timer for good. A second call changes nothing.
    package func cancel() {
        switch source.take() {
        case .descriptor(let descriptor, let watcher):
            watcher.cancel()
            Glibc.close(descriptor)
        case .loop(let timer): timer.cancel()
        case nil: break
        }
    }

    private func descriptorFired() {
        guard case .descriptor(let descriptor, _) = source else { return }
        var fires: UInt64 = 0
        if read(descriptor, &fires, MemoryLayout.size(ofValue: fires)) > 0 { fire() }
    }
}
