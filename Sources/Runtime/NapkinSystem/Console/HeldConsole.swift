// HeldConsole: the terminal of a held program: its screen as a value, its input from values.
//
// Isolation  actor (default): libvterm reads off the loop, in pieces, with input between them.
// Ownership  owns the virtual terminal; the keeper owns the program.
// Invariant  at most one screen per `pause` for each reader; a slow reader misses screens, and gets
//            the newest. Earlier output is not answered again.

public import NapkinCore
import NapkinTransport

/// The terminal of a held program.
///
/// It reads the program's output from the keeper's file, so that a worker that comes back has the
/// same screen and history. Present its screens, and pass it what people type:
///
/// ```swift
/// let console = try HeldConsole(of: program, size: TerminalSize(rows: 24, columns: 80))
/// for try await screen in console.screens { await presenter.present(screen: screen) }
/// ```
public actor HeldConsole {
    /// The time between two screens: 60 a second.
    private static let pause = Duration.microseconds(16_667)
    /// Bytes that are read before input gets a turn. Measured: about a millisecond.
    private static let turnBytes = 16 * 1024
    /// The bytes that may wait for the program, and the turns in which it may accept none. Chosen:
    /// a paste; some seconds.
    private static let unsentBytesMax = 64 * 1024
    private static let idleTurnsMax = 120

    private nonisolated let program: HeldProgram
    private let terminal: VirtualTerminal
    /// The offset of the next byte for the terminal, and the bytes read from there on.
    private var offset: UInt64
    private var unread: ArraySlice<UInt8> = []
    /// Questions before this offset have been answered, or were asked too long ago.
    private let live: UInt64
    /// Bytes for which the keeper has no room yet: it accepts some ten messages between two turns.
    private var unsent: [UInt8] = []
    private var isSending = false
    /// Makes the readers check again.
    private var wake: @Sendable () -> Void = {}

    /// Creates the terminal of a program that was started with one.
    ///
    /// The console answers questions that the program asked its terminal earlier only if `start`
    /// has just returned the program: otherwise somebody else has answered them.
    ///
    /// - Parameters:
    ///   - program: the program, running or ended.
    ///   - size: the terminal's size at the program's start; ``take(_:)`` changes it.
    ///   - offset: the offset in the output at which to begin.
    /// - Throws: a ``ProgramError`` if libvterm is of another version than when the app was built.
    public init(
        of program: HeldProgram, size: TerminalSize, from offset: UInt64 = 0
    ) throws(ProgramError) {
        guard let terminal = VirtualTerminal(rows: size.rows, columns: size.columns) else {
            throw ProgramError(
                program: program.key,
                reason: "this machine's libvterm is of another version than the app was built "
                    + "with: build it again here")
        }
        self.program = program
        self.terminal = terminal
        self.offset = offset
        live = program.isNew ? 0 : program.files.facts()?.end ?? 0
    }

    /// The screen now, then each newer one, at most 60 a second; ends when the program has ended.
    ///
    /// The program's output is read only while somebody reads this sequence.
    public nonisolated var screens: ConsoleScreens { ConsoleScreens(console: self) }

    /// The screen after all output so far.
    public func screen() async -> ConsoleScreen {
        // A program may print faster than it is read.
        let end = program.files.facts()?.end ?? 0
        while offset < end, read() { await Task.yield() }
        return terminal.current()
    }

    /// Handles a person's input, which goes to the program while it runs, and otherwise scrolls.
    ///
    /// - Returns: false if the program accepts no more, since it does not read. The rest is lost.
    @discardableResult
    public func take(_ input: ConsoleInput) -> Bool {
        let before = terminal.changes
        let bytes = terminal.bytes(for: input)
        if case .resize(let rows, let columns) = input, rows > 0, columns > 0 {
            program.resize(
                to: TerminalSize(
                    rows: min(rows, ConsoleScreen.rowsMax),
                    columns: min(columns, ConsoleScreen.columnsMax)))
        }
        if terminal.changes != before { wake() }
        return send(bytes)
    }

    /// Sends bytes to the program in order; returns false if too many wait, or if it has ended.
    private func send(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        guard unsent.count + bytes.count <= Self.unsentBytesMax, program.currentEnd == nil else {
            return false
        }
        unsent += bytes
        if !isSending { unsent.removeFirst(program.write(unsent)) }
        if !unsent.isEmpty, !isSending {
            isSending = true
            Task { await sendRest() }
        }
        return true
    }

    private func sendRest() async {
        var idle = 0
        while !unsent.isEmpty, idle < Self.idleTurnsMax, program.currentEnd == nil {
            // Nobody cancels this task.
            try? await Task.sleep(for: .milliseconds(1 + idle))
            let count = program.write(unsent)
            unsent.removeFirst(count)
            idle = count == 0 ? idle + 1 : 0
        }
        (unsent, isSending) = ([], false)
    }

    // MARK: - For the readers

    fileprivate enum Step {
        case screen(ConsoleScreen, change: Int)
        /// There is nothing new.
        case wait
        case end
    }

    fileprivate nonisolated var files: HeldFiles { program.files }

    fileprivate func wakes(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Reads new output, for at most the time between two screens.
    fileprivate func step(after change: Int, not before: ContinuousClock.Instant) async -> Step {
        if ContinuousClock.now < before {
            // A cancelled task continues until its next wait.
            try? await Task.sleep(until: before)
        }
        // Check this before the output: nothing is written after the end.
        let isAlive = program.files.facts()?.isAlive == true
        let end = ContinuousClock.now + Self.pause
        var hasMore = true
        while hasMore, ContinuousClock.now < end {
            hasMore = read()
            // Input gets a turn between two pieces.
            await Task.yield()
        }
        if terminal.changes != change {
            return .screen(terminal.current(), change: terminal.changes)
        }
        return isAlive || hasMore ? .wait : .end
    }

    /// Reads a piece of output. Returns whether there was one.
    private func read() -> Bool {
        if unread.isEmpty {
            let (begin, bytes) = program.files.output(from: offset)
            (offset, unread) = (begin, bytes[...])
        }
        guard !unread.isEmpty else { return false }
        let isOld = live > offset
        let count = isOld ? Int(min(live - offset, UInt64(Self.turnBytes))) : Self.turnBytes
        let piece = unread.prefix(count)
        let answers = terminal.feed(piece)
        if !isOld { _ = send(answers) }
        unread = unread.dropFirst(piece.count)
        offset += UInt64(piece.count)
        return true
    }

    fileprivate static func next(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        now + pause
    }
}

/// The screens of a console, the newest for a slow reader.
public struct ConsoleScreens: AsyncSequence, Sendable {
    let console: HeldConsole

    /// Reads the screens.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let console: HeldConsole
        private var turns: HeldTurns.Reader?
        private var change = 0
        private var due = ContinuousClock.now

        fileprivate init(_ console: HeldConsole) { self.console = console }

        /// Returns the newest screen, waiting for a change; `nil` after the program's last one.
        public mutating func next() async throws -> ConsoleScreen? {
            if turns == nil {
                let reader = try await HeldTurns.Reader(of: console.files)
                await console.wakes(reader.wake)
                turns = reader
            }
            while true {
                // There may always be another one.
                try Task.checkCancellation()
                switch await console.step(after: change, not: due) {
                case .screen(let screen, let change):
                    self.change = change
                    due = HeldConsole.next(after: .now)
                    return screen
                case .wait:
                    guard await turns?.next() == true else { throw CancellationError() }
                case .end: return nil
                }
            }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(console) }
}
