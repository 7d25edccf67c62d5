// FrontWait: the cause and duration of a front's wait, in words for people.

package struct FrontWait: Equatable, Sendable {
    /// The party that keeps the front waiting.
    package enum Subject: Sendable {
        /// The worker does not answer at all: it is stopped, or runs code that never awaits.
        case worker
        /// The worker responds, but the handler of an event has not returned.
        case answer
    }

    package var subject: Subject
    /// Whole seconds.
    package var seconds: Int

    package init(_ subject: Subject, seconds: Int) {
        self.subject = subject
        self.seconds = seconds
    }

    /// Returns `waiting 4 s for cart's worker`.
    package func text(of app: String) -> String {
        Self.text(for: subject == .worker ? Self.worker(of: app) : "an answer", seconds: seconds)
    }

    /// Returns `waiting 4 s for napkind`.
    package static func text(for whom: String, seconds: Int) -> String {
        "waiting\(seconds > 0 ? " \(seconds) s" : "") for \(whom)"
    }

    /// Returns `cart's worker`.
    package static func worker(of app: String) -> String {
        app + (app.hasSuffix("s") ? "' worker" : "'s worker")
    }
}
