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

    /// The child's state was restored; these of its handlers did not return in the last worker.
    func restored(interrupted: [InterruptedEvent])

    /// Starts the process. Returns when the child has become active, or has failed to.
    func activate() async

    /// Ends the process. Returns when it has ended.
    func resign() async

    /// Sends the child an event, whose payload is borrowed until the first suspension. Returns its
    /// answer, unread.
    func forward(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, for call: IncomingCall
    ) async -> Result<Payload, RemoteFault>

    /// Ends a process whose answer cannot be read.
    func violated(_ what: String)
}

/// The children of this process that run in processes.
package enum ProcessChild {
    /// The parts of a child that a runner needs.
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
}

/// Stands for the child in its parent's tree: its lifecycle is the process's, and its state the one
/// that the process has recorded last.
package final actor ProcessInteractor<State: DurableState>: DurableInteractable {
    package nonisolated let lifecycle = InteractorLifecycle()
    package nonisolated let durability = DurableNode()
    package var state: State
    private nonisolated let runner: any ChildRunner

    init(_ runner: any ChildRunner, beginningWith state: State) {
        (self.runner, self.state) = (runner, state)
    }

    package func didRestore() async { await runner.restored(interrupted: []) }

    package func didRestore(interrupted: [InterruptedEvent]) async {
        await runner.restored(interrupted: interrupted)
    }

    package func didBecomeActive() async { await runner.activate() }

    package func willResignActive() async { await runner.resign() }
}

/// Passes a node's events on to the child's process, and its answers back, if they can be read.
final class ForwardingReceiver<F: Feature>: CrossingReceiver {
    private let runner: any ChildRunner

    override var secrets: [UInt32] { AnswerReading(.success(Payload())).receiver(F.self).secrets }

    init(_ runner: any ChildRunner) { self.runner = runner }

    override func handle(_ message: consuming ReceivedMessage, _ runner: HandlerRunner?) async {
        repeat {
            let (call, method) = (message.call, message.method)
            let arguments = Array(message.payload)
            let answer = await self.runner.forward(method, message.payload, for: call)
            let reading = AnswerReading(answer)
            reading.read(method, arguments, of: F.self)
            switch (reading.result, answer) {
            case (.success(let value), _):
                call.succeed { (writer) throws(CBORError) in writer.append(value.bytes) }
            case (.failure(let fault), .failure): call.fail(fault)
            case (.failure(let fault), .success):
                let what = "its answer cannot be read: \(fault.message)"
                let broken = "the process of \(F.id) broke its contract"
                call.fail(RemoteFault(.failed, "\(broken): \(what)"))
                self.runner.violated(what)
            }
        } while message.advance(in: runner)
    }
}

/// Reads the answer to one event as its sender would, and writes it again as its handler would.
private final class AnswerReading: IncomingCall, EventPort {
    private let answer: Result<Payload, RemoteFault>
    private var read: Result<Payload, RemoteFault>?

    /// - Parameter answer: as it came from the process.
    init(_ answer: Result<Payload, RemoteFault>) { self.answer = answer }

    /// The answer as it was read.
    var result: Result<Payload, RemoteFault> {
        read ?? .failure(RemoteFault(.failed, "nothing has read it"))
    }

    func receiver<F: Feature>(_ feature: F.Type) -> CrossingReceiver {
        F.Listening.receiver(for: F.Listening.sender(to: self))
    }

    func read<F: Feature>(
        _ method: MethodID, _ arguments: [UInt8], of feature: F.Type
    ) {
        let receiver = receiver(feature)
        // Nothing suspends: the answer is there.
        arguments.withUnsafeBytes { bytes in receiver.receive(method, bytes, self) }
    }

    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        let event = PendingEvent()
        switch answer {
        case .success(let value): event.succeed(with: value)
        case .failure(let fault): event.fail(fault)
        }
        return event
    }

    /// The method cannot report its fault: its handler returns nevertheless.
    func failed(_ method: MethodID, _ fault: RemoteFault) { end(.failure(fault)) }

    override func succeed(_ encode: PayloadEncoder) {
        do {
            end(.success(try Payload(encoding: encode)))
        } catch {
            end(.failure(RemoteFault(.failed, "the result cannot be encoded: \(error)")))
        }
    }

    override func succeed() { end(.success(Payload())) }

    override func fail(_ error: any Error) { end(.failure(RemoteFault(reporting: error))) }

    private func end(_ result: Result<Payload, RemoteFault>) {
        if read == nil { read = result }
    }
}
