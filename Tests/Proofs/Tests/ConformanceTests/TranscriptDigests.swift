// TranscriptDigests: what the random sequences gave when they were recorded.

import Foundation
import NapkinCore

/// A digest of each sequence's transcript, in the order of their seeds.
///
/// Both links run the same code: a change of it that both show is seen by these.
struct TranscriptDigests {
    /// The seed of the first sequence.
    static let firstSeed: UInt64 = 1900
    /// Whether they are to be recorded again, with NAPKIN_GOLDEN=write.
    static let writes = ProcessInfo.processInfo.environment["NAPKIN_GOLDEN"] == "write"
    private static let perLine = 20
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/transcripts.txt")

    private let recorded: [Substring]

    init() throws {
        let text = Self.writes ? "" : try String(contentsOf: Self.file, encoding: .utf8)
        recorded = text.split(whereSeparator: \.isWhitespace)
    }

    /// Returns what was recorded of a seed, if anything was.
    func digest(of seed: UInt64) -> String? {
        let index = seed >= Self.firstSeed ? Int(clamping: seed - Self.firstSeed) : .max
        return recorded.indices.contains(index) ? String(recorded[index]) : nil
    }

    /// Returns four hexadecimal digits.
    static func digest(of transcript: [[String]]) -> String {
        let text = transcript.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        let hash = StableHash.value(of: text.utf8)
        let digits = String(UInt16(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    static func write(_ digests: [String]) throws {
        let lines = stride(from: 0, to: digests.count, by: perLine).map { start in
            digests[start...].prefix(perLine).joined(separator: " ") + "\n"
        }
        try lines.joined().write(to: file, atomically: true, encoding: .utf8)
    }
}
