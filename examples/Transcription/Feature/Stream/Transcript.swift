// Transcript: the words of a take so far.
//
// Layer      feature.
// Isolation  value.
// Invariant  time and stable words never go back; `stableText` has at most `stableBytesMax` bytes,
//            and is cut between words, at its beginning.

/// The words of a take, certain and tentative ones.
struct Transcript: Equatable {
    /// Bytes of the stable text. Chosen: more than the largest screen shows, so that a take that
    /// continues for days costs no more than one of a minute.
    static let stableBytesMax = 8192

    private(set) var stableText = ""
    private(set) var tentativeText = ""
    /// The time of the newest line.
    private(set) var time = Duration.zero

    /// Takes a line; a tentative one replaces everything that has been tentative.
    ///
    /// - Parameter now: the time for a line without a time.
    mutating func take(
        _ line: TranscriptLine, now: Duration
    ) throws(TranscriptLine.Malformed) {
        let time = line.time ?? max(now, self.time)
        guard time >= self.time else {
            throw TranscriptLine.Malformed(
                description: "its time is before \(Self.seconds(self.time)), "
                    + "that of an earlier line")
        }
        self.time = time
        tentativeText = line.isStable ? "" : line.words
        if line.isStable { append(line.words) }
    }

    /// The take is over: uncertain words are dropped.
    mutating func end() { tentativeText = "" }

    private mutating func append(_ words: String) {
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
