// DurableInteractable: an interactor whose state survives its process.

public import NapkinCoding

/// The durable state of one interactor: data that a person would be angry to lose.
///
/// Declare it as a `@Message` struct in the interactor. Leave out caches, handles, and flags that
/// say whether something is under way.
///
/// The type's description is stored with it. A later version of the app can read the state if no
/// field was removed and new ones are optional; a new field of the state itself may also have an
/// initial value from the interactor. Any other change needs a ``Migration``. A session whose state
/// cannot be read is kept as it is.
public protocol DurableState: Codable, Sendable, DirectlyCodable {
    /// Migrations from states of earlier versions to this one. Empty by default.
    static var migrations: [Migration<Self>] { get }
}

/// An interactor whose `state` is kept in the session's ledger. `@Durable` adds the conformance.
///
/// After its worker has died the interactor is built as always, gets the last recorded state,
/// learns so from ``didRestore()``, and becomes active. The changes between two suspensions are
/// recorded together, and nothing that depends on them leaves the worker before they are durable.
/// If a handler throws, the state reverts to its value when the handler began, or was last resumed.
public protocol DurableInteractable: Interactable {
    associatedtype State: DurableState

    var state: State { get set }

    /// Reports changes of `state`, from its `didSet`.
    nonisolated var durability: DurableNode { get }

    /// Called after `state` has been restored, before `didBecomeActive`.
    func didRestore() async

    /// Called after `didRestore()` if the worker died while handlers of this interactor were
    /// suspended after changing something. They do not run again. Repair any half-done work; their
    /// callers receive an error that says they were interrupted.
    func didRestore(interrupted: [InterruptedEvent]) async
}

extension DurableInteractable {
    public func didRestore() async {}
    public func didRestore(interrupted: [InterruptedEvent]) async {}
}

/// An event, firing or job result whose handler had changed something and not yet returned when its
/// worker died.
@Message
public struct InterruptedEvent: Hashable {
    /// The method's signature, `add(_:)`.
    public var method: String
    /// The timer's name, or the job's key in hexadecimal digits; `nil` for an event.
    public var name: String?

    public init(method: String, name: String? = nil) {
        self.method = method
        self.name = name
    }
}

/// The failures that the durable states of an app's sessions survive.
public enum Durability: String, Sendable, CaseIterable {
    /// A power cut: each change is synced to the disk before anybody hears of it.
    case machine
    /// The death of every process, and a clean reboot. Nothing is synced, so a power cut takes the
    /// newest changes.
    case process
    /// No failure: durable states live as long as their worker.
    case none
}
