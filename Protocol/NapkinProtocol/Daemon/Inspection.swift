// Inspection: the answers to tools that inspect a worker: trees, figures, traced messages.
//
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinCoding

/// The present state of a watched tree.
@Message
public struct TreeSample: Equatable {
    /// A digest of the trees, which changes when anything in them changes.
    public var digest: UInt64
    /// The trees; absent if nothing has changed for a while.
    public var trees: [SessionTree]?
}

/// The figures of all crossings since the measurement began.
@Message
public struct Figures: Equatable {
    /// The worker's clock when it began to answer; only differences between answers are meaningful.
    public var nanoseconds: UInt64
    public var crossings: [CrossingFigures]
    /// The number of crossings that were not measured, because there were too many.
    public var omitted: Int
}

/// The figures of one method since the measurement began. Times are in nanoseconds.
@Message
public struct CrossingFigures: Equatable, MandatoryFields {
    public var feature: String
    /// The method's key.
    public var method: String
    /// `state`, `effect`, `event` or `ask`.
    public var delivery: String
    public var calls: UInt64 = 0
    /// The number of calls that ended in a fault.
    public var failures: UInt64 = 0
    /// For events: the time from the loop turn in which they were read until their handlers began.
    public var queue: UInt64 = 0
    /// For events: the time until the handler returned. For asks: the time until the first answer.
    public var handler: UInt64 = 0
    /// For events: the time until the reply was about to be written.
    public var reply: UInt64 = 0
    /// The durations of the calls in the worker, each the sum of the three times.
    public var durations: Histogram = Histogram()
    /// The fronts' measurements; absent if no front has measured.
    public var fronts: FrontFigures?
    /// The newest recorded call; absent if there was none.
    public var recorded: RecordedCall?
}

/// A call of an event that has changed a durable session.
@Message
public struct RecordedCall: Equatable {
    public var session: String
    /// The record with the event's answer, as the ledger's tools number it.
    public var record: UInt64
    /// How long the call took.
    public var nanoseconds: UInt64
}

/// The fronts' measurements of an event's calls. Times are in nanoseconds.
@Message
public struct FrontFigures: Equatable, MandatoryFields {
    public var calls: UInt64 = 0
    /// The time from the call until the event was about to be written.
    public var queue: UInt64 = 0
    /// The time from then until the answer was read.
    public var trip: UInt64 = 0
    /// The durations of the calls, each the sum of both times.
    public var durations: Histogram = Histogram()

    public mutating func add(_ other: FrontFigures) {
        calls &+= other.calls
        queue &+= other.queue
        trip &+= other.trip
        durations.add(other.durations)
    }
}

/// A worker's request that a front measure its events for this long, and report its figures so far.
@Message
public struct Measure: Equatable {
    public var seconds: UInt32
}

/// A front's measurements, by node and method.
@Message
public struct Measured: Equatable {
    /// The figures of one node's method.
    @Message
    public struct Row: Equatable {
        public var node: UInt32
        public var method: UInt32
        public var figures: FrontFigures
    }

    public var rows: [Row]
}

/// The messages that a tracer has not seen yet, and how many it has missed.
@Message
public struct TraceBatch: Equatable {
    /// The tracer's number, for the next query.
    public var tracer: UInt64
    /// Messages since the last batch that were dropped for lack of room.
    public var lost: UInt64
    public var messages: [TracedMessage]
}

/// A message that passed between a worker and a front.
@Message
public struct TracedMessage: Equatable {
    /// Microseconds since 1970.
    public var time: UInt64
    /// Whether it came from a front.
    public var isFromFront: Bool
    /// The front; absent if none took part.
    public var front: UInt64?
    public var node: UInt32?
    public var feature: String?
    /// The method's key.
    public var method: String?
    /// The kind of its frame.
    public var kind: String
    /// The payload's bytes; absent if nothing was sent.
    public var bytes: Int?
    /// `done`, a fault's code, or the message's fate in the worker.
    public var outcome: String?
    /// Microseconds since the event arrived or the question was asked.
    public var duration: UInt64?
    /// The payload; only if the tool asked for values and the payload is not too large.
    public var value: [UInt8]?
    /// The record with an event's answer; absent if the event has changed nothing durable.
    public var record: UInt64?
    /// With an event's answer: the trace in which its front acts.
    public var traceparent: String?
}
