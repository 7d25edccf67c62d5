// OpenURL: the payloads between a front that opens a URL and the worker that runs its workflow.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding

/// A front's request to open a URL, which starts a workflow.
@Message
public struct OpenURL: Equatable {
    public var url: String
}

/// The state that a workflow's step has reached.
@Message
public struct WorkflowStep: Equatable {
    /// The step's number, counted from 1.
    public var step: Int
    /// The number of steps in all branches.
    public var of: Int
    public var name: String
    /// `waiting`, `running`, `done`, `failed` or `cancelled`.
    public var state: String
    /// The reason for a failure.
    public var message: String?
}

/// The end of a workflow, or the reason why it did not start.
public struct WorkflowEnded: Codable, Equatable, Sendable {
    /// How the workflow ended, for a program.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case completed
        /// A step failed.
        case failed
        /// The front cancelled the workflow, or its session has ended.
        case cancelled
        /// The text is not a URL that could belong to an app. Nothing has run.
        case malformedURL
        /// The app does not know the URL. Nothing has run.
        case unknownURL
        /// The front has too many workflows under way. Nothing has run.
        case overloaded
        /// The front is read-only. Nothing has run.
        case refused
    }

    public var outcome: Outcome
    /// A sentence that says what happened, to what, and what to do. Absent for `completed`.
    public var message: String?

    public init(_ outcome: Outcome, _ message: String? = nil) {
        self.outcome = outcome
        self.message = message
    }
}

extension WorkflowEnded {
    private enum CodingKeys: String, CodingKey {
        case outcome, message
    }

    /// An unknown outcome, from a later version, counts as `failed`; the sentence says what
    /// happened.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let outcome = try fields.decode(String.self, forKey: .outcome)
        self.outcome = Outcome(rawValue: outcome) ?? .failed
        message = try fields.decodeIfPresent(String.self, forKey: .message)
    }
}

/// A workflow that a session is running, for listings.
@Message
public struct WorkflowInfo: Equatable {
    public var url: String
    /// The front that opened it.
    public var front: UInt64
    /// The steps that have begun and not yet ended.
    public var steps: [WorkflowStep]
}
