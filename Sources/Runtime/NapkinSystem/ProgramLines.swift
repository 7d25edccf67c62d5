// ProgramLines: a program's output as lines, while it runs.
//
// Invariant  at most one read and one unfinished line wait; the pipe holds back the rest.

import Subprocess

/// A program's standard output and standard error, mixed as it wrote them, line by line.
///
/// It can be read once. A program that writes faster than its lines are read blocks: the pipe
/// holds 64 KiB. However much it writes, other tasks on the reader's thread get a turn every few
/// milliseconds. The sequence ends with the program, even if another process keeps the pipe
/// open.
public struct ProgramLines: AsyncSequence {
    /// Bytes of a line; a longer one arrives in pieces of this size. Chosen: a pipe's capacity.
    package static let lineBytesMax = 64 * 1024

    /// How long lines are read before other tasks on the reader's thread get a turn. Chosen: an
    /// answer that waits behind several programs still feels immediate.
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

        /// Returns the next line without its line break; `nil` at the end. Invalid UTF-8 becomes
        /// U+FFFD.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> String? {
            // If there is always more to read, nothing else would suspend.
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
    /// The start of the next line, and the end of the range already searched for a line break.
    private var start = 0
    private var searched = 0
    private var isFinished = false
    /// Bytes of all lines so far, with their line breaks.
    private(set) var taken = 0

    mutating func add(_ more: UnsafeRawBufferPointer) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes += more
    }

    /// Marks the end of the input: the remaining bytes are the last line.
    mutating func finish() { isFinished = true }

    /// Returns the next line that is complete or has reached the limit.
    mutating func next() -> String? {
        // A line of exactly the limit is whole, so its line break is searched for as well.
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
        defer {
            taken += next - start
            (start, searched) = (next, next)
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
