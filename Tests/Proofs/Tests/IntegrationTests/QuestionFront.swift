// QuestionFront: what a control front of QuestionDaemon's app does and sees, in the app's words.

import ProofSupport

extension ControlFront {
    /// Asks the desk to be emptied; returns the event's id at once.
    @discardableResult
    func empties() throws -> Int { try send(Question.desk, "didTapEmpty()") }

    /// Reads until a question comes; returns its number.
    func isAsked(_ key: String = Question.confirm) async throws -> Int {
        try await reads { $0.type == "ask" && $0.key == key }.id
    }

    func answers(_ id: Int, _ json: String) throws {
        try child.write(#"{"t":"answer","id":\#(id),"value":\#(json)}"#)
    }

    /// Reads until the desk presents how a question ended.
    func showsOutcome(_ outcome: String) async throws {
        try await shows { $0.value(Question.desk, "present(outcome:)") == "\"\(outcome)\"" }
    }

    /// Writes a line that is no answer to an open question, and reads what is said about it.
    func complaint(about line: String) async throws -> ControlLine {
        try child.write(line)
        return try await reads { $0.type == "refused" || ($0.type == "reply" && !$0.isOK) }
    }
}

/// The names of QuestionDaemon's app.
enum Question {
    static let app = "questions"
    static let desk = "questions.desk"
    static let note = "questions.note"
    static let confirm = "confirm(_:)"
}

extension Workplace {
    /// One of QuestionDaemon, whose fronts attach to its app.
    static func questions() -> Workplace {
        Workplace(daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app)
    }
}
