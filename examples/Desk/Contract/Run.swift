// Run: a program that Desk keeps, as everybody sees it.

public import NapkinCore

/// A command, and what has become of it.
@Message
public struct Run: Hashable, Identifiable {
    /// Its number, from 1.
    public var id: Int
    public var order: Order
    public var state: State = .waiting
    /// How often it has been started.
    public var attempt: Int = 0
    /// How often it has failed since somebody wanted it to run.
    public var failures: Int = 0
    /// The exit status as a shell has it: 128 and more for a signal; `nil` unless it has ended.
    public var status: Int32?
    /// Seconds that it has run.
    public var seconds: Double = 0
    /// When it starts by itself, and when it ended, in seconds since 1970.
    public var next: Double?
    public var ended: Double?
    /// The newest share of its work that its output has named, 0 to 1.
    public var progress: Double?
    /// The newest line of its output, or why it could not be started.
    public var last: String = ""

    /// Where a run is in its life.
    @Message
    public enum State: String, CaseIterable {
        /// For its time, its queue or other runs.
        case waiting
        case running
        case paused
        /// It was told to end.
        case ending
        case succeeded
        case failed
        case killed
        /// A run that had to succeed before it has not.
        case skipped
        /// The machine was restarted while it ran, or the process that held it was killed.
        case lost
    }

    /// Whether it runs no more, unless somebody wants it to.
    public var hasEnded: Bool { state != .waiting && !isActive }

    /// Whether it has a program.
    public var isActive: Bool { [.running, .paused, .ending].contains(state) }
}

/// What somebody may do with a run.
@Message
public enum Verb: String, CaseIterable {
    /// Ends its program, or its wait.
    case kill
    case pause
    case resume
    /// Runs it again, and those that were skipped because of it.
    case again
    /// Forgets it and its output.
    case remove
}

/// A part of a run's output.
@Message
public struct Piece: Hashable {
    /// How often the run had been started, and the place of the first byte in what it printed then.
    public var attempt: Int = 0
    public var offset: UInt64 = 0
    public var bytes: [UInt8] = []
    /// Whether it has ended, and nothing comes after.
    public var isEnd: Bool = false
    /// The bytes that it had printed behind this.
    public var rest: UInt64?

    /// The place after it, from which to read on.
    public var end: Piece { Piece(attempt: attempt, offset: offset + UInt64(bytes.count)) }
}
