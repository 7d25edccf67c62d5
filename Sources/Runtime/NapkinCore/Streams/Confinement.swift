// Confinement: a sequence that passes elements only while a scope is active.
//
// Isolation  any thread (Mutex); elements are read where the reader is isolated.
// Ownership  the scope is weak. When the reader ends, so does the reading of the base.
// Invariant  at most two elements wait; the base is read by one task at a time.
//
// An element that is already there is handed over without a hop to the global executor: the base is
// read in a task that starts immediately, where the reader is isolated, and ends with the answer.

import Synchronization

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns the elements that come while `scope` is active.
    ///
    /// When the scope becomes active again, the newest element that came meanwhile follows, and
    /// only that one. The sequence ends with the scope, or with the base after its last element. It
    /// holds the scope weakly and keeps at most two elements.
    ///
    /// ```swift
    /// for await items in pit.items.values.confined(to: scope) { … }
    /// ```
    public func confined(to scope: any InteractorScope) -> ConfinedSequence<Self> {
        ConfinedSequence(self, scope)
    }
}

/// A sequence that passes elements only while a scope is active; see `confined(to:)`.
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

    /// Iterates over the elements. One task at a time may wait.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = Base.Element
        public typealias Failure = Base.Failure

        /// The reader: when it ends, the sequence ends.
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

/// A weak reference to the scope of a sequence.
private final class WeakScope: Sendable {
    weak let scope: (any InteractorScope)?

    init(_ scope: any InteractorScope) { self.scope = scope }
}

/// One reading of a base, with the known state of the scope.
final class Confinement<Base: AsyncSequence & Sendable>: Sendable where Base.Element: Sendable {
    typealias Outcome = Result<Base.Element?, Base.Failure>

    /// The base's iterator, passed between the tasks that read it.
    // SAFETY: the task that took it out of the state has it alone until it is put back.
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
        /// The iterator, while nobody reads.
        var source: Source?
        var reading: Task<Void, Never>?
        var follower: Task<Void, Never>?
        /// The last value of the scope's stream.
        var isActive = false
        /// The reader's next elements; while the scope is inactive, the newest element only.
        var ready: [Base.Element] = []
        /// How the base ended.
        var ending: Outcome?
        var isOver = false
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    private let state: Mutex<State>
    /// Returns whether the scope is active at this moment; `nil` if only its stream tells.
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

    /// Returns the reader's next result; `nil` if it has to wait.
    private func serve(_ state: inout State) -> Outcome? {
        if state.isOver { return .success(nil) }
        guard isActive(state.isActive) else { return nil }
        if !state.ready.isEmpty { return .success(state.ready.removeFirst()) }
        return state.ending
    }

    /// - Parameter said: the last value of the scope's stream.
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
            // Elements that were not read in time count as new: only the newest remains.
            if !isActive, state.ready.count > 1 { state.ready.removeFirst() }
            return wake(&state)
        }
        resume?()
        // Elements that arrive meanwhile are read at once, so that the base need not keep them.
        if !isActive { read(isolation: nil) }
    }

    private func wake(_ state: inout State) -> (() -> Void)? {
        guard state.waiter != nil, let outcome = serve(&state) else { return nil }
        let waiter = state.waiter.take()
        return { waiter?.resume(returning: outcome) }
    }

    // MARK: - The base

    /// Starts to read, unless a task already does.
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
            // Reads no further ahead than the reader waits for.
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
