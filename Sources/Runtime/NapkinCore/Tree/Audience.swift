// Audience: the fronts that an interactor's effects and questions reach.
//
// Isolation  value; the addressed front is a task's, and that of its children.

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
