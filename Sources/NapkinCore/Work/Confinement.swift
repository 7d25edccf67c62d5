// Confinement: a sequence that passes only while a scope is active.
//
// Layer      core.
// Isolation  any thread (Mutex); elements are read where the reader is isolated.
// Ownership  the scope is weak. The reader's end ends the reading of the base.
// Invariant  at most two elements wait; the base is read by one task at a time.
//
// An element that is there already is handed over without a hop to the global executor: the base
// is asked in a task that starts at once, where the reader is isolated, and ends with the answer.

import Synchronization

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The elements that come while `scope` is active.
    ///
    /// When it becomes active again, the newest element that came meanwhile follows, and only
    /// that. The sequence ends with the scope, or with this one after its last element. It holds
    /// the scope weakly and keeps two elements at most.
    ///
    /// ```swift
    /// for await items in pit.items.values.confined(to: scope) { … }
    /// ```
    public func confined(to scope: any InteractorScope) -> ConfinedSequence<Self> {
        ConfinedSequence(self, scope)
    }
}

/// A sequence that passes only while a scope is active; see `confined(to:)`.
public struct ConfinedSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
    public typealias Element = Base.Element
    public typealias Failure = Base.Failure

    private let base: Base
    private let scope: WeakScope

    fileprivate init(_ base: Base, _ scope: any InteractorScope) {
        self.base = base
        self.scope = WeakScope(scope)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(Confinement(base.makeAsyncIterator(), scope.scope))
    }

    /// Takes the elements out. One task at a time may wait.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = Base.Element
        public typealias Failure = Base.Failure

        /// Whoever reads: its end is the sequence's.
        private final class Reader: Sendable {
            let confinement: Confinement<Base>

            init(_ confinement: Confinement<Base>) { self.confinement = confinement }

            deinit { confinement.end() }
        }

        private let reader: Reader

        fileprivate init(_ confinement: Confinement<Base>) { reader = Reader(confinement) }

        /// The next element; `nil` at the end.
        public mutating func next() async throws(Failure) -> Element? {
            try await reader.confinement.next(isolation: #isolation)
        }

        /// The next element, without leaving `actor`; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> Element? {
            try await reader.confinement.next(isolation: actor)
        }
    }
}

/// Where a sequence is confined to, without keeping it.
private final class WeakScope: Sendable {
    weak let scope: (any InteractorScope)?

    init(_ scope: any InteractorScope) { self.scope = scope }
}

/// One reading of a base, and what is known of the scope.
final class Confinement<Base: AsyncSequence & Sendable>: Sendable where Base.Element: Sendable {
    typealias Outcome = Result<Base.Element?, Base.Failure>

    /// The base's iterator, on its way between the tasks that read it.
    // SAFETY: whoever took it out of the state has it alone until it is put back.
    private struct Source: @unchecked Sendable {
        var iterator: Base.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async -> Outcome {
            do {
                return .success(try await iterator.next(isolation: actor))
            } catch {
                return .failure(error)
            }
        }
    }

    private struct State {
        /// Here while nobody reads.
        var source: Source?
        var reading: Task<Void, Never>?
        var follower: Task<Void, Never>?
        /// What the scope has said last.
        var isActive = false
        /// What the reader gets next; while the scope is inactive, the newest element only.
        var ready: [Base.Element] = []
        /// How the base ended.
        var ending: Outcome?
        var isOver = false
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    private let state: Mutex<State>
    /// Whether the scope is active at this moment; `nil` where only its stream tells.
    private let activity: @Sendable () -> Bool?

    init(_ iterator: Base.AsyncIterator, _ scope: (any InteractorScope)?) {
        let source = Source(iterator: iterator)
        state = Mutex(State(source: source))
        weak let lifecycle = (scope as? any Interactable)?.lifecycle
        activity = { lifecycle?.isActive }
        guard let changes = scope?.isActiveStream else {
            end()
            return
        }
        let follower = Task.immediate { [self] in
            for await isActive in changes { scopeChanged(isActive) }
            end()
        }
        state.withLock { if !$0.isOver { $0.follower = follower } }
    }

    // MARK: - The reader

    func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
        if let outcome = state.withLock({ serve(&$0) }) { return try outcome.get() }
        read(isolation: actor)
        if let outcome = state.withLock({ serve(&$0) }) { return try outcome.get() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { wait($0) }
        } onCancel: {
            end()
        }
        return try outcome.get()
    }

    private func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        let outcome = state.withLock { state -> Outcome? in
            precondition(state.waiter == nil, "a ConfinedSequence has one reader at a time")
            let outcome = serve(&state)
            if outcome == nil { state.waiter = continuation }
            return outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// What the reader gets now; `nil` when it has to wait.
    private func serve(_ state: inout State) -> Outcome? {
        if state.isOver { return .success(nil) }
        guard isActive(state.isActive) else { return nil }
        if !state.ready.isEmpty { return .success(state.ready.removeFirst()) }
        return state.ending
    }

    /// - Parameter said: what the scope's stream has said last.
    private func isActive(_ said: Bool) -> Bool { activity() ?? said }

    /// The reader wants no more, or the scope is gone.
    func end() {
        let (waiter, tasks) = state.withLock { state in
            state.isOver = true
            state.ready = []
            state.source = nil
            defer { (state.reading, state.follower) = (nil, nil) }
            return (state.waiter.take(), [state.reading, state.follower])
        }
        for task in tasks { task?.cancel() }
        waiter?.resume(returning: .success(nil))
    }

    // MARK: - The scope

    private func scopeChanged(_ isActive: Bool) {
        let resume = state.withLock { state -> (() -> Void)? in
            state.isActive = isActive
            // What was not taken in time is as good as what comes now: the newest remains.
            if !isActive, state.ready.count > 1 { state.ready.removeFirst() }
            return wake(&state)
        }
        resume?()
        // What comes meanwhile is read meanwhile, so that the base need not keep it.
        if !isActive { read(isolation: nil) }
    }

    private func wake(_ state: inout State) -> (() -> Void)? {
        guard state.waiter != nil, let outcome = serve(&state) else { return nil }
        let waiter = state.waiter.take()
        return { waiter?.resume(returning: outcome) }
    }

    // MARK: - The base

    /// Starts to read, unless somebody does.
    private func read(isolation actor: isolated (any Actor)?) {
        guard let source = state.withLock({ $0.source.take() }) else { return }
        let reading = Task.immediate { [self] in
            _ = actor
            await read(from: source, isolation: actor)
        }
        let isDone = state.withLock { state in
            if state.isOver { return true }
            if state.source == nil, state.ending == nil { state.reading = reading }
            return false
        }
        if isDone { reading.cancel() }
    }

    /// Reads until there is an element for the reader, or the base ends.
    private func read(from source: Source, isolation actor: isolated (any Actor)?) async {
        var source = source
        while keepsReading(await source.next(isolation: actor), source) {}
    }

    private func keepsReading(_ outcome: Outcome, _ source: Source) -> Bool {
        let (goesOn, resume) = state.withLock { state -> (Bool, (() -> Void)?) in
            guard !state.isOver else { return (false, nil) }
            guard case .success(let element?) = outcome else {
                state.ending = outcome
                state.reading = nil
                return (false, wake(&state))
            }
            let isActive = isActive(state.isActive)
            if isActive { state.ready.append(element) } else { state.ready = [element] }
            let resume = wake(&state)
            // Ahead of the reader by no more than it waits for.
            if isActive {
                state.source = source
                state.reading = nil
            }
            return (!isActive, resume)
        }
        resume?()
        return goesOn
    }
}
