// Durability: the failures that a session's durable states survive.

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
