// EmbeddedPump: runs the loop on the host's main queue.
//
// Layer      transport, loop. Dispatch, no libuv.
// Isolation  @MainActor; its dispatch sources are on the main queue, which is the main actor's.
// Ownership  lives as long as the process, like the loop that it runs.
// Invariant  at most one extra turn is scheduled at a time.
//
// libuv's backend is an epoll descriptor, which is readable when any of its descriptors is. libuv
// tells epoll of a new descriptor only when it polls, so a change made outside a turn takes effect
// only after another turn: `schedule()`.
//
// Each turn runs as a task of the main actor. Where no thread owns the main queue (dispatchMain(),
// the test runner), a source's handler is on the main actor without the Swift runtime knowing it.
// `Task.immediate` would then begin later, and a view would be shown a value after the reply to the
// event that caused it.

internal import Dispatch

@MainActor
final class EmbeddedPump {
    private let readable: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    private let turn: @MainActor () -> Int32
    private var isScheduled = false

    /// - Parameters:
    ///   - descriptor: the loop's `uv_backend_fd`.
    ///   - turn: runs the loop without blocking; returns the milliseconds until its next timer,
    ///     0 to be called again at once, -1 if there is no timer.
    init(descriptor: Int32, turn: @escaping @MainActor () -> Int32) {
        self.turn = turn
        readable = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        timer = DispatchSource.makeTimerSource(queue: .main)
        readable.setEventHandler { [self] in schedule() }
        timer.setEventHandler { [self] in schedule() }
        readable.activate()
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    /// Runs a turn soon. Calls before that turn are merged into it.
    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        // Detached: the turn inherits nothing from the task that asked for it.
        Task.detached { @MainActor [self] in
            isScheduled = false
            pump()
        }
    }

    private func pump() {
        let milliseconds = turn()
        switch milliseconds {
        case 0: schedule()
        case 1...: timer.schedule(deadline: .now() + .milliseconds(Int(milliseconds)))
        default: timer.schedule(deadline: .distantFuture)
        }
    }
}
