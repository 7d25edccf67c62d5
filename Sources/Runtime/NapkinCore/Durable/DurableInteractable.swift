// DurableInteractable: an interactor whose state survives its process.

public import NapkinCoding

/// All that is durable of one interactor: what a person would be angry to lose.
///
/// Declare it as a `@Message` struct in the interactor. What does not belong into it: caches,
/// handles, and whether something is under way at the moment.
///
/// Its description is stored with it. A later version of the app reads it if nothing has been
/// removed and what is new is optional; a new field of the state itself may also have a value with
/// which the interactor begins. Whatever else has changed needs a ``Migration``. A session whose
/// state cannot be read is kept as it is.
public protocol DurableState: Codable, Sendable, DirectlyCodable {
    /// How states of earlier versions become this one. Empty by default.
    static var migrations: [Migration<Self>] { get }
}

/// An interactor whose `state` is kept in the session's ledger. `@Durable` adds the conformance.
///
/// After its worker has died the interactor is built as always, gets the state that was recorded
/// last, and is told so by ``didRestore()``; then it becomes active. The changes between two
/// suspensions are recorded together, and nothing that depends on them leaves the worker before
/// they are durable. A handler that throws changes nothing: the state is again what it was when the
/// handler began, or was resumed for the last time.
public protocol DurableInteractable: Interactable {
    associatedtype State: DurableState

    var state: State { get set }

    /// Reports changes of `state`, from its `didSet`.
    nonisolated var durability: DurableNode { get }

    /// Called after `state` has been restored, before `didBecomeActive`.
    func didRestore() async

    /// Called after `didRestore()` if the worker died while handlers of this interactor were
    /// waiting after they had changed something. They do not run again. Put right what they have
    /// left half done; their callers are told that they were interrupted.
    func didRestore(interrupted: [InterruptedEvent]) async
}

extension DurableInteractable {
    public func didRestore() async {}
    public func didRestore(interrupted: [InterruptedEvent]) async {}
}

/// An event, a firing or a job's result whose handler had changed something and had not ended when
/// its worker died.
public struct InterruptedEvent: Hashable, Sendable {
    /// The method's signature, `add(_:)`.
    public var method: String
    /// The timer's name, or the job's key in hexadecimal digits; `nil` for an event.
    public var name: String?

    public init(method: String, name: String? = nil) {
        self.method = method
        self.name = name
    }
}
