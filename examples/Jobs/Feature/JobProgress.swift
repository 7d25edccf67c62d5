// JobOutput: the newest lines that a job has printed, and how far it says that it is.

import NapkinCore

/// What is kept of a job's output, in memory.
struct JobOutput: Sendable {
    /// Bytes of lines. Chosen: some thousand lines, and 50 MiB with all jobs that are remembered.
    static let bytesMax = 256 * 1024

    /// How many lines there have been, for whoever waits for more.
    let count = StateCell(0)
    /// The newest share of the work that a line has named.
    var progress: Double?
    private var lines: [String] = []
    private var first = 0
    private var bytes = 0

    mutating func append(_ line: String) {
        progress = Self.progress(in: line) ?? progress
        lines.append(line)
        bytes += line.utf8.count + 16
        if bytes > Self.bytesMax {
            // Half of them, so that it is rare.
            let dropped = (lines.count + 1) / 2
            bytes -= lines.prefix(dropped).reduce(0) { $0 + $1.utf8.count + 16 }
            lines.removeFirst(dropped)
            first += dropped
        }
        count.value = end
    }

    /// The number of the line that comes next.
    var end: Int { first + lines.count }

    /// The lines from this number on, as far as they are kept.
    func lines(from number: Int) -> ArraySlice<String> { lines.dropFirst(max(0, number - first)) }

    /// The share of the work that a line names as `[12/80]` or `42%`, as build tools do.
    static func progress(in line: String) -> Double? {
        let words = line.split { " []()".contains($0) }
        for word in words {
            if word.last == "%", let percent = Double(word.dropLast()), 0...100 ~= percent {
                return percent / 100
            }
            let parts = word.split(separator: "/").map { Double($0) }
            guard parts.count == 2, let done = parts[0], let all = parts[1] else { continue }
            if all > 0, all.isFinite, 0...all ~= done { return done / all }
        }
        return nil
    }
}
