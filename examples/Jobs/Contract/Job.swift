// Job: a command in a queue, as everybody sees it, and an order for one.

public import NapkinCore

/// A command, and what has become of it.
@Message
public struct Job: Hashable, Identifiable {
    /// Its number, from 1.
    public var id: Int
    public var order: JobOrder
    public var state: State = .queued
    /// The exit status as a shell has it: 128 and more for a signal; `nil` unless it has ended.
    public var status: Int32?
    /// Seconds that it has run.
    public var seconds: Double = 0
    /// The newest share of its work that its output has named, 0 to 1.
    public var progress: Double?

    /// Where a job is in its life.
    @Message
    public enum State: String, CaseIterable {
        case queued
        case running
        case succeeded
        case failed
        case cancelled
        /// A job that had to succeed before it has not.
        case skipped
        /// The machine was restarted while it ran, or the process that held it was killed.
        case interrupted
    }

    /// Whether it runs no more, unless somebody tries it again.
    public var hasEnded: Bool { state != .queued && state != .running }
}

/// What is to be run, where, and after what.
@Message
public struct JobOrder: Hashable {
    /// For `/bin/sh -c`.
    public var command: String
    /// Jobs of one queue run one after another.
    public var queue: String = "main"
    /// The jobs that must succeed first.
    public var after: [Int] = []
    /// The directory in which it runs; `nil` for the worker's.
    public var directory: String?
}
