// BoundTasks: the tasks that end with an interactor's activation.
//
// Isolation  any thread (Mutex); the tasks start on the main actor, the loop thread of a worker.
// Invariant  a task is in the set from before it starts until it has finished.

import Synchronization

final class BoundTasks: Sendable {
    /// The time that `drain()` waits for cancelled tasks before it reports them. Chosen: most end
    /// at once.
    static let drainDeadline = Duration.seconds(5)

    private struct Entry {
        let inventoryEntry: UInt64
        var task: Task<Void, Never>?
        var identity: TaskIdentity?
    }

    private struct State {
        var isOpen = false
        var nextID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        var drained: [(excluding: UInt64?, CheckedContinuation<Bool, Never>)] = []
    }

    /// The inventory's page of the feature that owns the tasks.
    let account = InventoryAccount()
    private let state = Mutex(State())
    private let drainDeadline: Duration

    init(drainDeadline: Duration = BoundTasks.drainDeadline) { self.drainDeadline = drainDeadline }

    var count: Int { state.withLock { $0.entries.count } }

    /// Returns whether `task` is a bound task of this scope.
    func contains(_ task: TaskIdentity?) -> Bool {
        guard let task else { return false }
        return state.withLock { $0.entries.values.contains { $0.identity == task } }
    }

    func open() { state.withLock { $0.isOpen = true } }

    func start(
        _ label: InventoryLabel, priority: TaskPriority?,
        _ work: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let id: UInt64? = state.withLock { state in
            guard state.isOpen else { return nil }
            state.nextID += 1
            state.entries[state.nextID] = Entry(inventoryEntry: account.begin(.task, label))
            return state.nextID
        }
        guard let id else { return Task {} }
        // Immediately, up to the first suspension: a feature's first states travel with its mount.
        let task = InventoryAccount.$current.withValue(account) {
            Task.immediate(name: label.name, priority: priority) { @MainActor [self] in
                state.withLock { $0.entries[id]?.identity = TaskIdentity.current }
                if !Task.isCancelled { await run(work, noted: label) }
                finish(id)
            }
        }
        let isClosing = state.withLock { state in
            state.entries[id]?.task = task
            return !state.isOpen
        }
        if isClosing { task.cancel() }
        return task
    }

    /// Runs the work of a task, unless it has ended this app's workers before.
    @MainActor
    private func run(
        _ work: @isolated(any) @Sendable () async -> Void, noted label: InventoryLabel
    ) async {
        guard let note = TaskOrigin.note else { return await work() }
        let what = account.description(of: .task, label)
        switch note(what) {
        case .runs(let note): await TaskOrigin.$boundTask.withValue(note) { await work() }
        case .isSetAside(let receipt): Anomaly.report(.taskSetAside(what, receipt: receipt))
        }
    }

    /// Cancels all tasks but the calling one, and does not wait for any.
    func cancel() {
        let current = TaskIdentity.current
        let others = state.withLock { state in
            state.entries.values.filter { $0.identity != current || current == nil }
        }
        for other in others { other.task?.cancel() }
    }

    /// Refuses new tasks, cancels all and waits for their end, except for the calling task.
    func drain() async {
        let current = TaskIdentity.current
        let (others, own) = state.withLock { state in
            state.isOpen = false
            let own = state.entries.first { $0.value.identity == current && current != nil }?.key
            return (state.entries.filter { $0.key != own }.values, own)
        }
        for other in others { other.task?.cancel() }
        guard !others.isEmpty else { return }
        let overdue = Task { [weak self, drainDeadline] in
            // A cancelled sleep means that the tasks ended in time.
            guard (try? await Task.sleep(for: drainDeadline)) != nil else { return }
            self?.giveUp()
        }
        let ended = await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isDone = state.entries.keys.allSatisfy { $0 == own }
                if !isDone { state.drained.append((own, continuation)) }
                return isDone
            }
            if isDone { continuation.resume(returning: true) }
        }
        overdue.cancel()
        if !ended { Anomaly.report(.boundTasksOverdue(count: count)) }
    }

    /// Cancels without waiting: the scope is being released.
    func close() {
        let tasks = state.withLock { state in
            state.isOpen = false
            return state.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

    private func finish(_ id: UInt64) {
        let waiters = state.withLock { state in
            if let entry = state.entries.removeValue(forKey: id) {
                account.end(.task, entry.inventoryEntry)
            }
            let (done, rest) = state.drained.partitioned { waiter in
                state.entries.keys.allSatisfy { $0 == waiter.excluding }
            }
            state.drained = rest
            return done
        }
        for waiter in waiters { waiter.1.resume(returning: true) }
    }

    private func giveUp() {
        let waiters = state.withLock { state in
            defer { state.drained = [] }
            return state.drained
        }
        for waiter in waiters { waiter.1.resume(returning: false) }
    }
}

extension Array {
    /// Returns the elements that satisfy `predicate`, and the others, each in order.
    fileprivate func partitioned(by predicate: (Element) -> Bool) -> ([Element], [Element]) {
        (filter(predicate), filter { !predicate($0) })
    }
}
