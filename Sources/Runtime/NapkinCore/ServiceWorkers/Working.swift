// Working: an interactor's view of its worker.

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
