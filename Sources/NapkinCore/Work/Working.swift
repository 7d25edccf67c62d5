// Working: what an interactor may ask of its worker.
//
// Layer      core.
// Isolation  @MainActor: the loop thread of a worker process.

/// A piece of work that runs while a scope is active.
@MainActor
public protocol Working: AnyObject, Sendable {
    /// Binds the work to `scope`; does nothing while it is started.
    func start(_ scope: any InteractorScope)

    /// Ends the work and the binding; does nothing while it is not started.
    func stop()

    /// Whether it is bound to a scope, be that active or not.
    var isStarted: Bool { get }

    /// The current value, then each change, newest only.
    var isStartedStream: BufferedStream<Bool> { get }
}
