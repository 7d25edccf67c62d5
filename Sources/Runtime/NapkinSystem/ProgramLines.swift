// ProgramLines: what a program writes, as lines, while it runs.
//
// Isolation  value; read by one task.
// Invariant  at most one read and one unfinished line wait; the pipe holds back what comes after.

import Subprocess

/// A program's standard output and standard error, mixed as it wrote them, line by line.
///
/// It can be read once. A program that writes faster than the lines are read waits: the pipe holds
/// 64 KiB. However much it writes, whoever shares the reader's thread has a turn every few
/// milliseconds. The sequence ends when the program has ended, even if another process keeps the
/// pipe.
public struct ProgramLines: AsyncSequence {
    /// Bytes of a line; a longer one comes in pieces of this size. Chosen.
    package static let lineBytesMax = 64 * 1024

    /// How long lines come before others on the reader's thread have their turn. Chosen: an answer
    /// that waits behind several programs is still at once.
    private static let turnTime = Duration.milliseconds(2)

    private let output: SubprocessOutputSequence

    init(_ output: SubprocessOutputSequence) { self.output = output }

    /// Reads the lines, in order.
    public struct Iterator: AsyncIteratorProtocol {
        private var buffers: SubprocessOutputSequence.Iterator
        private var splitter = LineSplitter()
        private var hasEnded = false
        private var turnBegan = ContinuousClock.now

        init(_ output: SubprocessOutputSequence) { buffers = output.makeAsyncIterator() }

        /// The next line, without its line break; `nil` at the end. Bytes that are no UTF-8 come as
        /// U+FFFD.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> String? {
            // Where there always is more to read, nothing else would suspend.
            if turnBegan.duration(to: .now) > ProgramLines.turnTime {
                await Task.yield()
                turnBegan = .now
            }
            while true {
                if let line = splitter.next() { return line }
                if hasEnded { return nil }
                if let buffer = try await buffers.next(isolation: actor) {
                    buffer.withUnsafeBytes { splitter.add($0) }
                } else {
                    hasEnded = true
                    splitter.finish()
                }
            }
        }

        public mutating func next() async throws -> String? {
            try await next(isolation: #isolation)
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(output) }
}

/// Splits bytes into lines.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// Where the next line begins, and how far a line break has been looked for.
    private var start = 0
    private var searched = 0
    private var isFinished = false

    mutating func add(_ more: UnsafeRawBufferPointer) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes += more
    }

    /// What is left is the last line.
    mutating func finish() { isFinished = true }

    /// Returns the next line that is complete, or as long as a line may be.
    mutating func next() -> String? {
        // A line of the limit's length is whole: its line break is looked for, too.
        let limit = min(bytes.count, start + ProgramLines.lineBytesMax + 2)
        while searched < limit, bytes[searched] != UInt8(ascii: "\n") { searched += 1 }
        let isEnd = searched < limit
        let isReturn = isEnd && searched > start && bytes[searched - 1] == UInt8(ascii: "\r")
        let end = searched - (isReturn ? 1 : 0)
        let isTooLong = end - start > ProgramLines.lineBytesMax
        if isTooLong, isEnd || isFinished || searched - start == ProgramLines.lineBytesMax + 2 {
            let piece = start + ProgramLines.lineBytesMax
            return take(to: piece, next: piece)
        }
        if isEnd { return take(to: end, next: searched + 1) }
        guard isFinished, start < bytes.count else { return nil }
        return take(to: bytes.count, next: bytes.count)
    }

    private mutating func take(to end: Int, next: Int) -> String {
        defer { (start, searched) = (next, next) }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
