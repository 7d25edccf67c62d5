// InteractorLifecycle: the four-state machine behind an interactor's activation.
//
// Isolation  any thread (Mutex); hooks run where their task runs.
// Ownership  owns the bound tasks and the streams' continuations.
// Invariant  one driver at a time runs the hooks; an opposite request is kept, never dropped.

import Synchronization

/// The activation state of one interactor, its bound tasks and its `isActiveStream`.
///
/// A request that is made while hooks run changes the wanted state; the task that runs the hooks
/// continues until that state is reached. Other callers wait for it, except those that it waits
/// for: the hooks themselves and bound tasks.
public final class InteractorLifecycle: Sendable {
    /// Runs `didBecomeActive` or `willResignActive`.
    package typealias Hook = @Sendable () async -> Void

    private let state = Mutex(State())
    private let bound: BoundTasks
    private let inventoryEntry: InventoryEntry

    public convenience init() { self.init(drainDeadline: BoundTasks.drainDeadline) }

    /// For tests: replaces `BoundTasks.drainDeadline`.
    package init(drainDeadline: Duration) {
        bound = BoundTasks(drainDeadline: drainDeadline)
        inventoryEntry = bound.account.open(.scope)
    }

    /// The feature's page in the inventory.
    var account: InventoryAccount { bound.account }

    /// True from before `didBecomeActive` until bound work has been drained.
    public var isActive: Bool { state.withLock { $0.phase != .inactive } }

    /// Whether children may be active: not while the scope is being deactivated.
    var admitsChildren: Bool { state.withLock { $0.phase == .activating || $0.phase == .active } }

    /// Makes the scope active; idempotent. Returns when the requests made so far have been carried
    /// out.
    package func activate(invoking didBecomeActive: @escaping Hook) async {
        await request(wanted: true) { $0.didBecomeActive = didBecomeActive }
    }

    /// Makes the scope inactive: hook, then cancellation of bound tasks, then their end.
    package func deactivate(invoking willResignActive: @escaping Hook) async {
        await request(wanted: false) { $0.willResignActive = willResignActive }
    }

    /// Starts a bound task; on an inactive scope it never runs. The inventory identifies it by its
    /// name and by where it was started.
    @discardableResult
    package func register(
        name: String? = nil, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Task<Void, Never> {
        bound.start(InventoryLabel(name, file: file, line: line), priority: priority, work)
    }

    /// Cancels the current bound tasks, except the calling one, and does not wait for any.
    func cancelBoundTasks() { bound.cancel() }

    /// The number of bound tasks that have not finished.
    package var boundTaskCount: Int { bound.count }

    /// Yields the current value, then each change; only the newest unread value is kept.
    public var isActiveStream: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            continuation.yield(state.phase != .inactive)
            return state.nextStream
        }
        let account = InventoryAccount.current ?? self.account
        let entry = account.begin(.stream, InventoryLabel("a scope's isActive"))
        continuation.onTermination = { [weak self] _ in
            account.end(.stream, entry)
            self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    deinit {
        for stream in state.withLock({ $0.streams }).values { stream.finish() }
        bound.close()
    }

    // MARK: - The machine

    private enum Phase { case inactive, activating, active, deactivating }

    private struct State {
        var phase = Phase.inactive
        var isWanted = false
        var driver: TaskIdentity?
        var isDriven = false
        var didBecomeActive: Hook = {}
        var willResignActive: Hook = {}
        var waiters: [CheckedContinuation<Void, Never>] = []
        var nextStream: UInt64 = 0
        var streams: [UInt64: AsyncStream<Bool>.Continuation] = [:]

        mutating func enter(_ next: Phase) {
            let wasActive = phase != .inactive
            phase = next
            let isActive = next != .inactive
            guard wasActive != isActive else { return }
            for stream in streams.values { stream.yield(isActive) }
        }
    }

    private enum Step {
        case activate(Hook)
        case deactivate(Hook)
        case idle([CheckedContinuation<Void, Never>])
    }

    private func request(wanted: Bool, _ set: (inout State) -> Void) async {
        let task = TaskIdentity.effective
        let (drives, waits) = state.withLock { state in
            state.isWanted = wanted
            set(&state)
            if !state.isDriven {
                state.isDriven = true
                state.driver = task
                return (true, false)
            }
            return (false, state.driver != task || task == nil)
        }
        if drives {
            await drive()
        } else if waits, !bound.contains(task) {
            await waitUntilIdle()
        }
    }

    private func drive() async {
        while true {
            switch nextStep() {
            case .activate(let hook):
                bound.open()
                await hook()
                state.withLock { $0.enter(.active) }
            case .deactivate(let hook):
                await hook()
                await bound.drain()
                state.withLock { $0.enter(.inactive) }
            case .idle(let waiters):
                for waiter in waiters { waiter.resume() }
                return
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            switch (state.isWanted, state.phase) {
            case (true, .inactive):
                state.enter(.activating)
                return .activate(state.didBecomeActive)
            case (false, .active):
                state.enter(.deactivating)
                return .deactivate(state.willResignActive)
            default:
                state.isDriven = false
                state.driver = nil
                // A hook holds its interactor, which holds this lifecycle: keeping it would be a
                // retain cycle.
                state.didBecomeActive = {}
                state.willResignActive = {}
                defer { state.waiters = [] }
                return .idle(state.waiters)
            }
        }
    }

    private func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isDriven { state.waiters.append(continuation) }
                return !state.isDriven
            }
            if isIdle { continuation.resume() }
        }
    }
}
