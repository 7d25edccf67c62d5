// HeldProgram: a program that a keeper holds: its output, its input and its end.
//
// Isolation  any thread; reads are short system calls where the caller is.
// Invariant  output is read from the file, by offset: one reader takes nothing away from another.

import Glibc
import NapkinTransport

/// How a held program ended.
public enum HeldEnd: Hashable, Sendable {
    case ended(ProgramEnd)
    /// Its keeper was killed: the program was sent SIGHUP, and nobody saw its end.
    case keeperKilled
    /// The machine was restarted while the program ran.
    case machineRestarted
    /// It was removed before anybody had seen its end.
    case removed
}

/// A program of a session, running or ended.
public struct HeldProgram: Sendable {
    /// The key under which it was started.
    public let key: String
    let files: HeldFiles
    /// Whether it has just been started, so that nobody has read its output yet.
    var isNew = false

    /// How it ended; `nil` while it runs.
    public var currentEnd: HeldEnd? {
        guard let facts = files.facts() else { return .removed }
        switch facts.state {
        case .starting, .running: return nil
        case .ended(.exited(let status)): return .ended(.exited(status))
        case .ended(.signalled(let signal)): return .ended(.signalled(signal))
        case .keeperKilled: return .keeperKilled
        case .machineRestarted: return .machineRestarted
        }
    }

    /// Waits until it has ended; it may have ended while no worker ran.
    ///
    /// - Throws: a ``ProgramError`` if its directory cannot be watched; a `CancellationError`.
    public var end: HeldEnd {
        get async throws {
            var turns = try await HeldTurns.Reader(of: files)
            while true {
                if let end = currentEnd { return end }
                guard await turns.next() else { throw CancellationError() }
            }
        }
    }

    /// How long it has run, or ran; zero if nobody saw its end.
    public var duration: Duration {
        guard let facts = files.facts() else { return .zero }
        let now = MeasuringClock.wallNanoseconds / 1_000_000
        let until = facts.isAlive ? now : facts.ended
        return .milliseconds(Int64(until > facts.began ? until - facts.began : 0))
    }

    /// Why its output waits, such as "No space left on device"; `nil` if it does not.
    ///
    /// While the disk is full, the program waits when it writes, and nothing is lost.
    public var shortage: String? {
        files.facts().flatMap { $0.waits == 0 ? nil : String(cString: strerror($0.waits)) }
    }

    /// The bytes of its output, from an offset on, until it has ended.
    ///
    /// Overwritten bytes are skipped: a piece's offset is then greater than the end of the previous
    /// piece. A worker that stores the offset up to which it has read misses no byte and reads none
    /// twice.
    ///
    /// - Parameters:
    ///   - offset: the first byte to read.
    ///   - waits: whether to wait for more; otherwise the sequence ends with the present output.
    public func output(from offset: UInt64 = 0, waits: Bool = true) -> HeldOutput {
        HeldOutput(files: files, offset: offset, waits: waits)
    }

    /// The lines of its output, from an offset on, until it has ended.
    ///
    /// - Parameters:
    ///   - offset: the beginning of the first line to read.
    ///   - waits: whether to wait for more; otherwise the sequence ends with the last whole line of
    ///     the present output.
    public func lines(from offset: UInt64 = 0, waits: Bool = true) -> HeldLines {
        HeldLines(output: output(from: offset, waits: waits))
    }

    // MARK: - Input and signals

    /// Writes as many of the bytes to its standard input as there is room for.
    ///
    /// - Returns: the number accepted: fewer if the program does not read, or has ended.
    public func write(_ bytes: [UInt8]) -> Int {
        // The keeper's socket exists for a moment after its program's end is known.
        guard currentEnd == nil else { return 0 }
        var count = 0
        while count < bytes.count {
            let piece = bytes[count...].prefix(HeldFiles.messageBytesMax)
            guard files.send(Array(piece), to: .input) == 0 else { break }
            count += piece.count
        }
        return count
    }

    /// Ends its standard input; in a terminal, acts as Ctrl-D does.
    public func closeInput() { _ = files.send([], to: .input) }

    /// Changes the size of its terminal. A program with pipes has none.
    public func resize(to size: TerminalSize) {
        let numbers = [size.rows, size.columns].map { UInt16(clamping: $0) }
        _ = files.send([UInt8(ascii: "w")] + numbers.withUnsafeBytes { Array($0) }, to: .orders)
    }

    /// Sends a signal to all processes of its session, such as a shell's jobs.
    public func signal(_ signal: Int32) {
        _ = files.send([UInt8(ascii: "s"), UInt8(clamping: signal)], to: .orders)
    }

    /// Sends SIGTERM to all processes of its session, and SIGKILL after `grace`, even if this
    /// worker dies meanwhile. Does not wait; see ``end``.
    public func terminate(grace: Duration = .seconds(5)) { files.end(grace: grace) }
}

/// The output of a held program.
public struct HeldOutput: AsyncSequence, Sendable {
    /// A piece of output.
    public struct Piece: Sendable {
        /// The offset of its first byte: how many bytes the program had written before.
        public let offset: UInt64
        public let bytes: [UInt8]
        /// The number of bytes that the program had already written after this piece; for a
        /// sequence that does not wait, the number still to be returned if nothing overwrites them.
        public let rest: UInt64
    }

    let files: HeldFiles
    let offset: UInt64
    let waits: Bool

    /// Reads the pieces, in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let files: HeldFiles
        private var offset: UInt64
        private let waits: Bool
        private var turns: HeldTurns.Reader?
        /// The end of a sequence that does not wait: a program may print faster than it is read.
        private let last: UInt64
        /// Whether more may follow, or has already followed, the end of this sequence.
        private(set) var mayGoOn = true

        init(_ output: HeldOutput) {
            (files, offset, waits) = (output.files, output.offset, output.waits)
            last = waits ? .max : files.facts()?.end ?? 0
        }

        /// Returns the next piece, waiting for one unless told not to; `nil` at the end.
        public mutating func next() async throws -> Piece? {
            if waits, turns == nil { turns = try await HeldTurns.Reader(of: files) }
            // Other tasks on this thread get a turn between two pieces.
            await Task.yield()
            // There may always be another one.
            try Task.checkCancellation()
            while true {
                // Check this before the output: nothing is written after the end.
                let facts = files.facts()
                mayGoOn = facts.map { $0.isAlive || $0.end > last } ?? false
                let (offset, all) = files.output(from: offset)
                let bytes = offset < last ? all.prefix(Int(clamping: last - offset)) : []
                if !bytes.isEmpty {
                    self.offset = offset + UInt64(bytes.count)
                    let end = Swift.min(last, Swift.max(self.offset, facts?.end ?? 0))
                    return Piece(offset: offset, bytes: Array(bytes), rest: end - self.offset)
                }
                guard mayGoOn, waits else { return nil }
                guard await turns?.next() == true else { throw CancellationError() }
            }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// The output of a held program as lines.
public struct HeldLines: AsyncSequence, Sendable {
    /// A line of output.
    public struct Line: Sendable, Hashable {
        /// The line without its line break. Invalid UTF-8 is U+FFFD.
        public let text: String
        /// The offset of its first byte. It is greater than the previous line's ``end`` if lines
        /// between them are no longer kept.
        public let offset: UInt64
        /// The offset at which the next line begins: continue reading here.
        public let end: UInt64
    }

    let output: HeldOutput

    /// Reads the lines, in order.
    public struct Iterator: AsyncIteratorProtocol {
        private var pieces: HeldOutput.Iterator
        private var splitter = LineSplitter()
        /// The offset of the next line, and of the next piece.
        private var offset: UInt64
        private var expected: UInt64
        private var hasEnded = false

        init(_ output: HeldOutput) {
            pieces = output.makeAsyncIterator()
            (offset, expected) = (output.offset, output.offset)
        }

        /// Returns the next line, waiting for one unless told not to; `nil` at the end.
        public mutating func next() async throws -> Line? {
            // A piece may have thousands of lines.
            try Task.checkCancellation()
            while true {
                let before = splitter.taken
                if let text = splitter.next() {
                    let begin = offset
                    offset += UInt64(splitter.taken - before)
                    return Line(text: text, offset: begin, end: offset)
                }
                if hasEnded { return nil }
                if let piece = try await pieces.next() {
                    if piece.offset != expected {
                        // The rest of an unfinished line is gone, and so are the lines after it.
                        splitter = LineSplitter()
                        offset = piece.offset
                    }
                    expected = piece.offset + UInt64(piece.bytes.count)
                    piece.bytes.withUnsafeBytes { splitter.add($0) }
                } else {
                    hasEnded = true
                    // The last line may continue.
                    if !pieces.mayGoOn { splitter.finish() }
                }
            }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(output) }
}
