// Check: one checked subject, its state, and advice.

/// One line of `status` and `doctor`. Scripts read its JSON: keys are added, never changed.
struct Check: Encodable, Equatable {
    enum Verdict: String, Encodable {
        case fine
        /// Worth knowing, but not a problem.
        case note
        case problem
    }

    var verdict: Verdict
    /// The checked subject: the daemon, an app, or a path.
    var subject: String
    var finding: String
    /// The advice; absent if there is nothing to do.
    var advice: String?

    static func fine(_ subject: String, _ finding: String) -> Check {
        Check(verdict: .fine, subject: subject, finding: finding)
    }

    static func note(_ subject: String, _ finding: String, do advice: String? = nil) -> Check {
        Check(verdict: .note, subject: subject, finding: finding, advice: advice)
    }

    static func problem(_ subject: String, _ finding: String, do advice: String) -> Check {
        Check(verdict: .problem, subject: subject, finding: finding, advice: advice)
    }

    /// Cells before the subject. Chosen: as many as the longest verdict has, and two spaces.
    private static let margin = 9

    /// Returns the lines in this many cells.
    func lines(in room: Int) -> [String] {
        let heading = "\(verdict.rawValue.padded(to: Self.margin))\(subject): \(finding)"
        let space = String(repeating: " ", count: Self.margin)
        return [heading].wrapped(in: room, indent: Self.margin)
            + [advice.map { space + $0 }].compactMap(\.self).wrapped(in: room, indent: 0)
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
