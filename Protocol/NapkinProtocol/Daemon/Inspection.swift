// Inspection: the answers to tools that inspect a worker: trees, figures, traced messages.
//
// Spec       Protocol/TOOLS.md, section 5 (Observing)

/// The present state of a watched tree.
package struct TreeLook: Codable, Equatable, Sendable {
    /// A digest of the trees, which changes when anything in them changes.
    package var digest: UInt64
    /// The trees; absent if nothing has changed for a while.
    package var trees: [SessionTree]?

    package init(digest: UInt64, trees: [SessionTree]?) {
        self.digest = digest
        self.trees = trees
    }
}

/// The figures of all crossings since the measurement began.
package struct Figures: Codable, Equatable, Sendable {
    /// The worker's clock when it began to answer; only differences between answers are meaningful.
    package var nanoseconds: UInt64
    package var crossings: [CrossingFigures]
    /// The number of crossings that were not measured, because there were too many.
    package var omitted: Int

    package init(nanoseconds: UInt64, crossings: [CrossingFigures], omitted: Int) {
        self.nanoseconds = nanoseconds
        self.crossings = crossings
        self.omitted = omitted
    }
}

/// The figures of one method since the measurement began. Times are in nanoseconds.
package struct CrossingFigures: Codable, Equatable, Sendable {
    package var feature: String
    /// The method's key.
    package var method: String
    /// `state`, `effect`, `event` or `ask`.
    package var delivery: String
    package var calls: UInt64 = 0
    /// How many of the calls ended in a fault.
    package var failures: UInt64 = 0
    /// For events: the time from the loop turn in which they were read until their handlers began.
    package var queue: UInt64 = 0
    /// For events: the time until the handler returned. For asks: the time until the first answer.
    package var handler: UInt64 = 0
    /// For events: the time until the reply was about to be written.
    package var reply: UInt64 = 0
    /// How long the calls took in the worker, all three times together.
    package var durations = Histogram()
    /// The fronts' measurements; absent if no front has measured.
    package var fronts: FrontFigures?

    package init(feature: String, method: String, delivery: String) {
        self.feature = feature
        self.method = method
        self.delivery = delivery
    }
}

/// The fronts' measurements of an event's calls. Times are in nanoseconds.
package struct FrontFigures: Codable, Equatable, Sendable {
    package var calls: UInt64 = 0
    /// The time from the call until the event was about to be written.
    package var queue: UInt64 = 0
    /// The time from then until the answer was read.
    package var trip: UInt64 = 0
    /// How long the calls took, both times together.
    package var durations = Histogram()

    package init() {}

    package mutating func add(_ other: FrontFigures) {
        calls &+= other.calls
        queue &+= other.queue
        trip &+= other.trip
        durations.add(other.durations)
    }
}

/// A worker's request that a front measure its events for this long, and report its figures so far.
package struct Measure: Codable, Equatable, Sendable {
    package var seconds: UInt32

    package init(seconds: UInt32) {
        self.seconds = seconds
    }
}

/// A front's measurements, by node and method.
package struct Measured: Codable, Equatable, Sendable {
    /// The figures of one node's method.
    package struct Row: Codable, Equatable, Sendable {
        package var node: UInt32
        package var method: UInt32
        package var figures: FrontFigures

        package init(node: UInt32, method: UInt32, figures: FrontFigures) {
            self.node = node
            self.method = method
            self.figures = figures
        }
    }

    package var rows: [Row]

    package init(rows: [Row]) {
        self.rows = rows
    }
}

/// The messages that a tracer has not seen yet, and how many it has missed.
package struct TraceBatch: Codable, Equatable, Sendable {
    /// The tracer's number, for the next query.
    package var tracer: UInt64
    /// Messages since the last batch that were dropped for lack of room.
    package var lost: UInt64
    package var messages: [TracedMessage]

    package init(tracer: UInt64, lost: UInt64, messages: [TracedMessage]) {
        self.tracer = tracer
        self.lost = lost
        self.messages = messages
    }
}

/// A message that has passed between a worker and a front.
package struct TracedMessage: Codable, Equatable, Sendable {
    /// Microseconds since 1970.
    package var time: UInt64
    /// Whether it came from a front.
    package var isFromFront: Bool
    /// The front; absent if none took part.
    package var front: UInt64?
    package var node: UInt32?
    package var feature: String?
    /// The method's key.
    package var method: String?
    /// The kind of its frame.
    package var kind: String
    /// The payload's bytes; absent if nothing was sent.
    package var bytes: Int?
    /// `done`, a fault's code, or what became of the message in the worker.
    package var outcome: String?
    /// Microseconds since the event arrived or the question was asked.
    package var duration: UInt64?
    /// The payload; only if the tool asked for values and the payload is not too large.
    package var value: [UInt8]?

    package init(time: UInt64, isFromFront: Bool, kind: String) {
        self.time = time
        self.isFromFront = isFromFront
        self.kind = kind
    }
}
