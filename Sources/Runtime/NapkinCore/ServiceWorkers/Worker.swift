// Worker: work that is bound to a scope, and runs each time the scope is active.
//
// Isolation  @MainActor: the loop thread of a worker process. Start, stop and the scope's changes
//            are steps of one actor, so that the last one decides and none is lost.
// Ownership  the scope is weak. From start to stop the worker's own binding keeps it, and the
//            binding ends with the scope.
// Invariant  every `didStart` is followed by one `didStop`, and never overlaps the next.

/// The base class of work that outgrows a bound task.
///
/// ```swift
/// final class PriceFeed: Worker {
///     private let prices: StateCell<[Price]>
///     private let socket: FeedSocket
///
///     override func didStart(_ scope: any InteractorScope) async {
///         await socket.open()
///         task { for await price in self.socket.prices { self.prices.update { $0.add(price) } } }
///     }
///
///     override func didStop() { socket.close() }
/// }
/// ```
///
/// An interactor starts it in `didBecomeActive`, or the interactor's builder starts it once:
/// `await feed.start(self)`.
///
/// **A bound task or a worker?** `task { }` is for what an interactor does itself: it is cancelled
/// at deactivation and waited for. Choose a worker if the work has a separate beginning and end (a
/// connection, a subscription), state that the interactor need not know, more than one owner, or a
/// separate test, or if it must restart whenever the scope becomes active again.
/// Deactivation does not wait for a worker: `didStop` comes directly after it.
@MainActor
open class Worker: Working {
    /// The binding to one scope, from `start` to `stop`.
    @MainActor
    private final class Binding {
        weak var scope: (any InteractorScope)?
        var follower: Task<Void, Never>?

        init(_ scope: any InteractorScope) { self.scope = scope }
    }

    /// One activation's `didStart`, up to its `didStop`.
    @MainActor
    private final class Run {
        let activation: UInt64
        var hook: Task<Void, Never>?
        var hasBegun = false
        var hasReturned = false
        var isEnding = false

        init(_ activation: UInt64) { self.activation = activation }
    }

    private let started = StateCell(false)
    private let bound = BoundTasks()
    private var binding: Binding?
    private var run: Run?
    /// Counts the scopes' reports, so that a second `true` is another activation.
    private var activations: UInt64 = 0
    /// The activation in which the work is to run; `nil` if it is not to run.
    private var wanted: UInt64?

    public init() {}

    public final var isStarted: Bool { binding != nil }

    public final var isStartedStream: BufferedStream<Bool> { started.values }

    // MARK: - For subclasses

    /// The scope is active. Called once for each activation; cancelled when the work is to end.
    ///
    /// Return when the work is under way, and leave continuing work to `task { }`: `scope` is held
    /// for as long as this method runs.
    open func didStart(_ scope: any InteractorScope) async {}

    /// The scope is no longer active or has been released, or `stop()` was called. Called once for
    /// each `didStart`, after that has returned.
    open func didStop() {}

    /// Runs `work` until this worker's work ends: then it is cancelled, and the next `didStart`
    /// waits for it.
    ///
    /// Outside `didStart` and `didStop` it never runs.
    @discardableResult
    public final func task(
        name: String? = nil, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ work: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Task<Void, Never> {
        bound.start(InventoryLabel(name, file: file, line: line), priority: priority, work)
    }

    // MARK: - Working

    public final func start(_ scope: any InteractorScope) {
        guard self.binding == nil else { return }
        let binding = Binding(scope)
        self.binding = binding
        started.value = true
        let activity = scope.isActiveStream
        binding.follower = Task.immediate { [self] in
            for await isActive in activity { scopeChanged(isActive, of: binding) }
            scopeEnded(binding)
        }
    }

    public final func stop() {
        guard let binding else { return }
        self.binding = nil
        binding.follower?.cancel()
        started.value = false
        want(nil)
    }

    // MARK: - Following the scope

    private func scopeChanged(_ isActive: Bool, of binding: Binding) {
        guard self.binding === binding else { return }
        activations += 1
        want(isActive ? activations : nil)
    }

    private func scopeEnded(_ binding: Binding) {
        if self.binding === binding { stop() }
    }

    private func want(_ activation: UInt64?) {
        wanted = activation
        guard let run else { return begin() }
        if run.activation != activation { end(run) }
    }

    private func begin() {
        guard let activation = wanted, let binding else { return }
        let run = Run(activation)
        self.run = run
        run.hook = Task.immediate { [self] in
            // Tasks of earlier work must have ended first.
            await bound.drain()
            await didStart(run, in: binding)
            run.hasReturned = true
            if run.isEnding || !run.hasBegun { finish(run) }
        }
    }

    /// Calls `didStart`, unless the scope has been deactivated since its report, or released.
    private func didStart(_ run: Run, in binding: Binding) async {
        guard let scope = binding.scope, await scope.isActive, !run.isEnding else { return }
        run.hasBegun = true
        bound.open()
        await didStart(scope)
    }

    private func end(_ run: Run) {
        guard !run.isEnding else { return }
        run.isEnding = true
        run.hook?.cancel()
        bound.close()
        if run.hasReturned { finish(run) }
    }

    private func finish(_ run: Run) {
        guard self.run === run else { return }
        self.run = nil
        if run.hasBegun { didStop() }
        // An activation in which the scope was found inactive is over; later ones are due.
        if wanted != run.activation { begin() }
    }
}

/// Work that runs while a scope is active.
@MainActor
public protocol Working: AnyObject, Sendable {
    /// Binds the work to `scope`; does nothing while it is started.
    func start(_ scope: any InteractorScope)

    /// Ends the work and the binding; does nothing while it is not started.
    func stop()

    /// Whether it is bound to a scope, active or not.
    var isStarted: Bool { get }

    /// Yields the current value, then each change, newest only.
    var isStartedStream: BufferedStream<Bool> { get }
}
