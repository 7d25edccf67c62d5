// Transcript: the words of a take so far: certain ones, which are kept, and tentative ones.
//
// Invariant  time and stable words never go back; `stableText` has at most `stableBytesMax` bytes,
//            and is cut between words, at its beginning.

import NapkinCore

/// The words of a take that are certain.
@Message
struct Transcript: Equatable {
    /// Bytes of the stable text. Chosen: more than the largest screen shows, so that a take that
    /// continues for days costs no more than one of a minute.
    static let stableBytesMax = 8192

    private(set) var stableText: String = ""
    /// Grows with each change: tentative words follow the text of one position.
    private(set) var position: Int64 = 0
    private var milliseconds: Int64 = 0

    /// The time of the newest certain words.
    var time: Duration { .milliseconds(milliseconds) }

    /// A take begins.
    mutating func clear() {
        (stableText, milliseconds) = ("", 0)
        position += 1
    }

    /// The take is over: no tentative words belong to it any longer.
    mutating func end() { position += 1 }

    mutating func append(_ words: String, at time: Duration) {
        milliseconds = Int64(time / .milliseconds(1))
        position += 1
        stableText += stableText.isEmpty ? words : " " + words
        let excess = stableText.utf8.count - Self.stableBytesMax
        guard excess > 0 else { return }
        let bytes = stableText.utf8
        let cut = bytes.index(bytes.startIndex, offsetBy: excess)
        // In UTF-8 a space is always a whole character: a word begins after it.
        let space = bytes[cut...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.endIndex
        stableText = String(stableText[space...].drop { $0 == " " })
    }

    /// Returns `12.40 s`, rounded down.
    static func seconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let hundredths = attoseconds / 10_000_000_000_000_000
        return "\(seconds).\(hundredths < 10 ? "0" : "")\(hundredths) s"
    }
}

/// The words since the certain ones, and how far the take has come.
struct Tentative: Equatable {
    private(set) var words = ""
    /// The time of the newest line.
    private(set) var time: Duration

    init(from time: Duration = .zero) { self.time = time }

    /// Takes a line, which replaces everything that has been tentative.
    ///
    /// - Parameter now: the time for a line without a time.
    mutating func take(
        _ line: TranscriptLine, now: Duration
    ) throws(TranscriptLine.Malformed) {
        let time = line.time ?? max(now, self.time)
        guard time >= self.time else {
            throw TranscriptLine.Malformed(
                description: "its time is before \(Transcript.seconds(self.time)), "
                    + "that of an earlier line")
        }
        self.time = time
        words = line.isStable ? "" : line.words
    }
}
