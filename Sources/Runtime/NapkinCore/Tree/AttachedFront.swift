// AttachedFront: a front's identity, and the front whose event a handler runs for.
//
// Isolation  value; `caller` may be read by any code of a handler's own task.

/// A front of a session, as the features see it.
public struct AttachedFront: Sendable, Hashable, Identifiable {
    /// The front's number in its session, from 1. It survives a lost connection if the front
    /// reconnects within a minute, and is not reused.
    public let id: UInt64
    /// The front's own name: the program and its version, at most 128 bytes. Not checked.
    public let client: String
    /// The user that owns the front's process, as the kernel reports it (`SO_PEERCRED`).
    public let user: UInt32
    /// Whether the front may change nothing but its own pages.
    public let isReadOnly: Bool
    /// Whether the front is asked questions: it is neither read-only nor a mirror, and has not
    /// declared that nobody can answer. `send`, `open` and an app's own verbs declare so, and
    /// `attach --plain` where no lines can be typed. Whether anybody watches the front is unknown.
    public let isAskable: Bool

    /// Creates the description of a front, for a test that has none.
    public init(
        id: UInt64, client: String = "", user: UInt32 = 0, isReadOnly: Bool = false,
        isAskable: Bool = true
    ) {
        self.isAskable = isAskable
        self.id = id
        self.client = client
        self.user = user
        self.isReadOnly = isReadOnly
    }

    /// The front whose event the running handler handles; also set in code that the handler calls,
    /// such as a parent's listener.
    ///
    /// `nil` in every other task: a feature's own, and one that the handler has started. Pass the
    /// front to such a task as a value.
    ///
    /// ```swift
    /// func didTapTake(_ item: Item.ID) async throws {
    ///     guard let caller = AttachedFront.caller else { return }
    ///     try board.take(item, for: caller)
    /// }
    /// ```
    public static var caller: AttachedFront? { HandlerTask.current?.call?.caller }
}
extension StateCell<[AttachedFront]> {
    /// A front has joined, or has reconnected while it was listed.
    package func came(_ front: AttachedFront) {
        update { fronts in
            if let index = fronts.firstIndex(where: { $0.id == front.id }) {
                fronts[index] = front
            } else {
                fronts.append(front)
            }
        }
    }

    /// A front has gone.
    package func left(_ front: UInt64) { update { $0.removeAll { $0.id == front } } }
}
