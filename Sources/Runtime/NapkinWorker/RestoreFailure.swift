// RestoreFailure: the reason why a stored session is kept and admits nobody.

import NapkinLedger

/// A stored session cannot be read at all, or not by this version of its app.
struct RestoreFailure: Error, CustomStringConvertible {
    let reason: String
    /// Advice for a person, if there is any.
    var advice: String?
    /// Whether no version of the app could restore it.
    var isDamage = false
    /// The failure as tools receive it.
    var summary: (defect: String?, isDamaged: Bool?) { (reason, isDamage ? true : nil) }

    var description: String { reason + (advice.map { "; \($0)" } ?? "") }
}

extension RestoreFailure {
    /// The session's launch has ended the worker twice.
    init(receipt: UInt64, of app: String) {
        self.init(
            reason: "its launch has ended the worker twice: receipt \(receipt)",
            advice: "`napkin-client crash show \(app) \(receipt)` shows where, and `napkin-client "
                + "crash release \(app) \(receipt)` lets it be tried again")
    }

    init(_ defect: RestoreDefect, of session: String) {
        self.init(
            reason: "\(defect)",
            advice: "the version that wrote it reads it, and one with a Migration; "
                + "`napkin-client kill \(session)` deletes it")
    }
}
