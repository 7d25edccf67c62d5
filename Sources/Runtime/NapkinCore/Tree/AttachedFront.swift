// AttachedFront: a front's identity, the front whose event a handler runs for, and the fronts that
// an interactor addresses.
//
// Isolation  value; `caller` may be read by any code of a handler's own task. The addressed front
//            belongs to a task and its children.

/// A front of a session, as the features see it.
public struct AttachedFront: Sendable, Hashable, Identifiable {
    /// The front's number in its session, from 1. It survives a lost connection if the front
    /// reconnects within a minute, and is not reused.
    public let id: UInt64
    /// The front's own name: the program and its version, at most 128 bytes. Not checked.
    public let client: String
    /// The name that the front gives for its person or device, at most 128 bytes: `nil` if it gives
    /// none. Not checked, but only the session's user has fronts.
    public let name: String?
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
        id: UInt64, client: String = "", name: String? = nil, user: UInt32 = 0,
        isReadOnly: Bool = false, isAskable: Bool = true
    ) {
        self.isAskable = isAskable
        self.name = name
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

extension AttachedFront: CustomStringConvertible {
    /// The front's name, otherwise its number and program: `front 3 (napkin-client 1.0)`.
    public var description: String {
        name ?? "front \(id)" + (client.isEmpty ? "" : " (\(client))")
    }
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

/// The fronts that see an effect or are asked a question.
public enum Audience: Sendable {
    /// Every front that shows the feature; the first answer to a question counts. The default.
    case all
    /// The front whose event is being handled; nobody in any other task.
    case caller
    /// One front. It sees nothing if it has left, or does not show the feature.
    case front(AttachedFront)

    /// A number that no front has.
    static let nobody: UInt64 = 0

    /// The number of the only front that effects and questions of the running task reach.
    @TaskLocal static var addressed: UInt64?

    fileprivate var number: UInt64? {
        switch self {
        case .all: nil
        case .caller: AttachedFront.caller?.id ?? Self.nobody
        case .front(let front): front.id
        }
    }
}

extension Interactable {
    /// Asks the fronts that `audience` names.
    ///
    /// ```swift
    /// let isSure = try await ask(.caller) { try await presenter.confirm("Delete \(name)?") }
    /// ```
    ///
    /// - Parameters:
    ///   - audience: the fronts to ask. A question to a front that is not there, is read-only or
    ///     does not take questions fails with `.noFront`.
    ///   - question: calls the presenter.
    public func ask<Answer>(
        _ audience: Audience, _ question: () async throws -> Answer
    ) async rethrows -> Answer {
        try await Audience.$addressed.withValue(audience.number) { try await question() }
    }

    /// Sends effects to the fronts that `audience` names.
    ///
    /// ```swift
    /// await present(to: .caller) { await presenter.didSave() }
    /// ```
    ///
    /// - Parameters:
    ///   - audience: the fronts that see the effects.
    ///   - effects: calls the presenter. States reach every front regardless: put a state for one
    ///     front into a separate feature, in a ``FrontSlot``.
    public func present(to audience: Audience, _ effects: () async -> Void) async {
        await Audience.$addressed.withValue(audience.number) { await effects() }
    }
}
