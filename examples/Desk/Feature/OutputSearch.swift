// OutputSearch: finds lines in what runs are called, execute and have printed.
//
// Isolation  value; searches where it is called: away from the loop, since it reads files.
// Invariant  reads and keeps a limited number of bytes, whatever was printed.

import DeskContract
import Glibc
import NapkinSystem

struct OutputSearch: Sendable {
    /// Bytes of output that are read, and lines that are kept. Chosen: a second or two; more than a
    /// person reads.
    static let bytesMax: UInt64 = 256 << 20
    static let matchesMax = 500
    /// Characters of a line, and of those before the first word in a longer one. Chosen: some lines
    /// of a terminal, and what the word is about.
    static let lineMax = 200
    private static let beforeMax = 40

    private let words: [String]
    private var bytesLeft: UInt64
    private(set) var found = Found()

    init(_ text: String, reading bytesMax: UInt64 = bytesMax) throws(DeskError) {
        words = text.lowercased().split(whereSeparator: \.isWhitespace).map { String($0) }
        bytesLeft = bytesMax
        if words.isEmpty { throw .order("a search needs words") }
    }

    /// Searches these runs, in this order. Of one that runs, what it has printed so far.
    @concurrent
    func found(in entries: [RunEntry], _ programs: HeldPrograms) async -> Found {
        var search = self
        for entry in entries where !Task.isCancelled && search.found.rest == nil {
            for line in entry.run.order.title.split(separator: "\n") {
                search.look(at: String(line), of: entry.run.id)
            }
            guard let program = programs[entry.key] else { continue }
            do {
                for try await line in program.lines(waits: false) {
                    guard search.found.rest == nil else { break }
                    search.look(at: line.text, of: entry.run.id)
                    search.take(line.end - line.offset, of: entry.run.id)
                }
            } catch {
                // Its output cannot be read.
            }
        }
        return search.found
    }

    private mutating func take(_ bytes: UInt64, of run: Int) {
        bytesLeft -= min(bytes, bytesLeft)
        if bytesLeft == 0 { found.rest = "the output of run \(run) and older ones was not read" }
    }

    mutating func look(at line: String, of run: Int) {
        // Only a line that may have them is worth more: with its colours it has them as well.
        guard has(line), found.rest == nil else { return }
        let plain = Run.plain(line)
        guard has(plain) else { return }
        guard found.matches.count < Self.matchesMax else {
            found.rest = "there are more: the newest \(Self.matchesMax) lines are shown"
            return
        }
        found.matches.append(Found.Match(run: run, line: part(of: plain)))
    }

    private func has(_ line: String) -> Bool {
        let line = line.lowercased()
        // Many times as fast as `contains`.
        return words.allSatisfy { strstr(line, $0) != nil }
    }

    /// Returns the part of a line in which the first word is.
    private func part(of line: String) -> String {
        guard line.count > Self.lineMax else { return line }
        let low = line.lowercased()
        let at = low.firstRange(of: words[0]).map {
            low.distance(from: low.startIndex, to: $0.lowerBound)
        }
        let start = max(0, (at ?? 0) - Self.beforeMax)
        return (start > 0 ? "…" : "") + line.dropFirst(start).prefix(Self.lineMax)
    }
}
