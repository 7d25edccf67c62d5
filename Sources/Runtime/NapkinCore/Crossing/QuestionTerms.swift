// QuestionTerms: how long a question stays open without a front, and who has answered it.
//
// Isolation  @MainActor; the current terms are a task's, and those of its children.

/// An answer, and the front that gave it.
public struct Answered<Value> {
    public let value: Value
    /// The front that answered; `nil` if a unit test's presenter answered without one.
    public let front: AttachedFront?
}

extension Answered: Sendable where Value: Sendable {}

/// The terms of the question that the running task asks.
@MainActor
package final class QuestionTerms: Sendable {
    @TaskLocal package static var current: QuestionTerms?

    /// Whether the question stays open while no front that could answer is attached.
    package nonisolated let waitsForFronts: Bool
    package var answeredBy: AttachedFront?

    package nonisolated init(waitsForFronts: Bool) { self.waitsForFronts = waitsForFronts }
}

extension Interactable {
    /// Asks until a time has passed, and returns the answer with the front that gave it.
    ///
    /// ```swift
    /// let answer = try await ask(within: .seconds(600), waitsForFronts: true) {
    ///     try await presenter.confirm("Deploy to production?")
    /// }
    /// history.append("\(answer.value) from \(answer.front?.description ?? "nobody")")
    /// ```
    ///
    /// Fails with `RemoteFault.Code.deadlineExceeded` when the time has passed; the dialogs then
    /// disappear. The other fronts learn who has answered.
    ///
    /// - Parameters:
    ///   - audience: the fronts to ask.
    ///   - limit: how long the question is open; `nil` for as long as its task waits.
    ///   - waitsForFronts: whether the question waits while no front can answer, and is put to each
    ///     that attaches; otherwise it fails with `.noFront`.
    ///   - question: calls the presenter, once.
    public func ask<Answer>(
        _ audience: Audience = .all, within limit: Duration?, waitsForFronts: Bool = false,
        _ question: () async throws -> Answer
    ) async throws -> Answered<Answer> {
        let terms = QuestionTerms(waitsForFronts: waitsForFronts)
        let answer = try await QuestionTerms.$current.withValue(terms) {
            guard let limit else { return try await ask(audience, question) }
            return try await withDeadline(limit) { try await ask(audience, question) }
        }
        return Answered(value: answer, front: await terms.answeredBy)
    }
}
