// Interactable: a feature's business logic, an actor with a lifecycle.

/// The part of an interactor that streams and service workers see: whether it is active.
public protocol InteractorScope: AnyObject, Sendable {
    var isActive: Bool { get async }

    /// Yields the current value, then each change, newest only; finishes when the scope is
    /// released.
    nonisolated var isActiveStream: AsyncStream<Bool> { get }
}

/// An interactor: owns a feature's state and makes its decisions; declared as a `final actor`.
public protocol Interactable: Actor, InteractorScope {
    nonisolated var lifecycle: InteractorLifecycle { get }

    /// Makes the scope active; does nothing if it is. The router calls it, and so does a test of a
    /// single interactor. When it returns, `didBecomeActive` has returned.
    func activate() async

    /// Ends the scope; does nothing if it has ended. When it returns, `willResignActive` has
    /// returned, and the bound tasks have ended or 5 s have passed since they were cancelled.
    func deactivate() async

    /// Called each time the scope has become active. Start bound work here.
    func didBecomeActive() async

    /// Called while the scope is still active, before bound tasks are cancelled and children
    /// deactivated.
    func willResignActive() async
}

extension Interactable {
    public var isActive: Bool { lifecycle.isActive }

    public nonisolated var isActiveStream: AsyncStream<Bool> { lifecycle.isActiveStream }

    public func activate() async { await lifecycle.activate { await self.didBecomeActive() } }

    public func deactivate() async { await lifecycle.deactivate { await self.willResignActive() } }

    public func didBecomeActive() async {}
    public func willResignActive() async {}

    /// Runs `work` while the scope is active. The task is cancelled after `willResignActive`, and
    /// deactivation waits for its end.
    ///
    /// On an inactive scope `work` never runs. A finished task is forgotten at once; if a task does
    /// not end, the inventory reports its name and where it was started.
    @discardableResult
    public func task(
        name: String? = nil, priority: TaskPriority? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ work: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Task<Void, Never> {
        lifecycle.register(name: name, priority: priority, file: file, line: line, work)
    }
}

/// An interactor with a presenter.
public protocol PresentableInteractable: Interactable {
    associatedtype PresenterType

    nonisolated var presenter: PresenterType { get }
}
