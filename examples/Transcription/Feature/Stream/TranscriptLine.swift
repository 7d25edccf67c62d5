// TranscriptLine: one line of a transcript, and what is wrong with a malformed one.
//
//
//     0.42 ~ low and       at 0.42 s these words have presumably been said since the last =
//     0.80 = low and slow  at 0.80 s it is certain that these have been
//     # words              a comment, which is ignored like an empty line
//
// A line from a front has no time: its time is now.

/// Words with a time stamp.
struct TranscriptLine: Equatable, Sendable {
    /// Bytes of a line. Chosen: far more than anybody says in one breath.
    static let bytesMax = 4096
    /// Seconds of a transcript. Chosen: a week; more is not a time stamp.
    static let secondsMax = 604_800.0

    /// The time since the beginning of the take; `nil` for now.
    let time: Duration?
    /// Whether the words will no longer change.
    let isStable: Bool
    let words: String

    /// Why a line is malformed, as the end of a sentence about it.
    struct Malformed: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Returns `nil` for a comment and an empty line.
    static func parse(_ text: some StringProtocol) throws(Malformed) -> TranscriptLine? {
        guard text.utf8.count <= bytesMax else {
            throw Malformed(description: "it has more than \(bytesMax) bytes")
        }
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = parts.first, !first.hasPrefix("#") else { return nil }
        let time = isMark(first) ? nil : try duration(first)
        let rest = time == nil ? parts[...] : parts.dropFirst()
        guard let mark = rest.first, isMark(mark) else {
            throw Malformed(description: "there is no ~ or = before its words")
        }
        let words = rest.dropFirst().joined(separator: " ")
        guard mark == "~" || !words.isEmpty else {
            throw Malformed(description: "there are no words after its =")
        }
        return TranscriptLine(time: time, isStable: mark == "=", words: words)
    }

    private static func isMark(_ part: some StringProtocol) -> Bool { part == "~" || part == "=" }

    private static func duration(_ text: some StringProtocol) throws(Malformed) -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= secondsMax else {
            throw Malformed(description: "it does not begin with seconds, such as 0.42")
        }
        return .milliseconds(Int64((seconds * 1000).rounded()))
    }
}
