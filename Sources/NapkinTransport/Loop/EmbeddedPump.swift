// EmbeddedPump: runs the loop from a main queue that somebody else owns.
//
// Layer      transport, loop. Dispatch, no libuv.
// Isolation  @MainActor; its sources are on the main queue, which is the main actor there.
// Ownership  lives as long as the process, like the loop it turns.
// Invariant  at most one extra turn is scheduled at a time.
//
// libuv's backend is an epoll descriptor, which is readable when any of its descriptors is. libuv
// tells epoll of a new descriptor only when it polls, so that a change made outside a turn needs
// one turn to take effect: `schedule()`.
//
// A turn is a task of the main actor. Where no thread owns the main queue (dispatchMain(), the test
// runner), code that a source calls is on the main actor and the runtime does not know it: there
// `Task.immediate` would begin later, and what a view is shown would come after the reply to the
// event that had it shown.

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
    ///     0 to be called again at once, -1 for none.
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

    /// Turns the loop soon; many calls before that are one.
    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        // Detached: whoever asked for the turn, what happens in it is nothing of theirs.
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
