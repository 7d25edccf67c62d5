// Durability: what survives the end of a worker.

/// How much the durable states of an app's sessions survive.
public enum Durability: String, Sendable, CaseIterable {
    /// A power cut: each change is synced to the disk before anybody hears of it.
    case machine
    /// The death of every process, and a clean reboot. Nothing is synced, so a power cut takes the
    /// newest changes.
    case process
    /// Nothing: what is durable by its type lives as long as its worker.
    case none
}
