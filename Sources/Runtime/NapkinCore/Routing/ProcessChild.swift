// ProcessChild: the parent's half of a child whose interactor runs in another process.
//
// Layer      core; the runtime starts the process and owns the connection.
// Ownership  the child's router owns it, and it its runner.
// Spec       Protocol/CHILD.md

/// Runs one child in a process.
@MainActor
package protocol ChildRunner: AnyObject, Sendable {
    /// The child's place in the tree, which the runner does not retain.
    var core: RouterCore? { get set }

    /// Starts the process. Returns when the child has become active, or has failed to.
    func activate() async

    /// Ends the process. Returns when it has ended.
    func resign() async

    /// Sends the child an event, whose payload is borrowed until the first suspension. Returns when
    /// the call has been answered.
    func forward(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, for call: IncomingCall) async
}

/// Stands for the child in its parent's tree: its lifecycle is the process's.
package final actor ProcessChild: Interactable {
    /// What a runner needs of its child.
    package struct Parts {
        /// Not the tree's, if the child has no view.
        package let node: FeatureNode
        /// Presents the child's messages to the node.
        package let presenting: CrossingReceiver
        /// Calls the parent's interactor.
        package let listening: CrossingReceiver
    }

    /// Returns a runner for a child. `nil` in a process that starts none, such as a test's or one
    /// with `--in-process`: children then run beside their parents.
    @MainActor package static var makeRunner: ((Parts) -> any ChildRunner)?

    package nonisolated let lifecycle = InteractorLifecycle()
    private nonisolated let runner: any ChildRunner

    init(_ runner: any ChildRunner) { self.runner = runner }

    package func didBecomeActive() async { await runner.activate() }

    package func willResignActive() async { await runner.resign() }
}

/// Passes a node's events on to the child's process.
final class ForwardingReceiver: CrossingReceiver {
    private let runner: any ChildRunner
    private let secretMethods: [UInt32]

    override var secrets: [UInt32] { secretMethods }

    init<F: Feature>(_ runner: any ChildRunner, _ feature: F.Type) {
        self.runner = runner
        // Only a receiver knows them; this one is never called.
        let target = F.Listening.sender(to: NoPort())
        secretMethods = F.Listening.receiver(for: target).secrets
    }

    override func handle(
        _ message: consuming ReceivedMessage, _ runner: HandlerRunner?
    ) async {
        repeat {
            await self.runner.forward(message.method, message.payload, for: message.call)
        } while message.advance(in: runner)
    }
}

/// Sends nothing.
private final class NoPort: EventPort {
    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        throw RemoteFault(.gone, "nothing listens here")
    }

    func failed(_ method: MethodID, _ fault: RemoteFault) {}
}
