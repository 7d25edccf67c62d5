// Inspection: the answers to who looks inside: a tree that has changed, figures, traced messages.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, sections 6.7 (query) and 6.8 (answer)

/// What a watched tree is now.
public struct TreeLook: Codable, Equatable, Sendable {
    /// A digest of the trees, which changes with anything in them.
    public var digest: UInt64
    /// Absent when nothing has changed for a while.
    public var trees: [SessionTree]?

    public init(digest: UInt64, trees: [SessionTree]?) {
        self.digest = digest
        self.trees = trees
    }
}

/// What has crossed since the measuring began.
public struct Figures: Codable, Equatable, Sendable {
    /// The worker's clock when it answered; its differences are what counts.
    public var nanoseconds: UInt64
    public var crossings: [CrossingFigures]
    /// Crossings that were not measured: there were too many.
    public var omitted: Int

    public init(nanoseconds: UInt64, crossings: [CrossingFigures], omitted: Int) {
        self.nanoseconds = nanoseconds
        self.crossings = crossings
        self.omitted = omitted
    }
}

/// The figures of one method, all counted since the measuring began. Times in nanoseconds.
public struct CrossingFigures: Codable, Equatable, Sendable {
    public var feature: String
    /// The method's key.
    public var method: String
    /// `state`, `effect`, `event` or `ask`.
    public var delivery: String
    public var calls: UInt64 = 0
    /// How many of them ended in a fault.
    public var failures: UInt64 = 0
    /// Events: from the turn in which they were read until their handlers began.
    public var queue: UInt64 = 0
    /// Events: until the handler returned. Asks: until the first answer came.
    public var handler: UInt64 = 0
    /// Events: until the reply was about to be written.
    public var reply: UInt64 = 0
    /// How long the calls took here, all three together.
    public var durations = Histogram()
    /// What fronts have measured; absent when none has.
    public var fronts: FrontFigures?

    public init(feature: String, method: String, delivery: String) {
        self.feature = feature
        self.method = method
        self.delivery = delivery
    }
}

/// What fronts have measured of an event's calls. Times in nanoseconds.
public struct FrontFigures: Codable, Equatable, Sendable {
    public var calls: UInt64 = 0
    /// The time from the call until the event was about to be written.
    public var queue: UInt64 = 0
    /// The time from then until its answer was read.
    public var trip: UInt64 = 0
    /// How long the calls took, both together.
    public var durations = Histogram()

    public init() {}

    public mutating func add(_ other: FrontFigures) {
        calls &+= other.calls
        queue &+= other.queue
        trip &+= other.trip
        durations.add(other.durations)
    }
}

/// A worker asks a front to measure its events for so long, and to say what it has measured.
public struct Measure: Codable, Equatable, Sendable {
    public var seconds: UInt32

    public init(seconds: UInt32) {
        self.seconds = seconds
    }
}

/// What a front has measured, by node and method.
public struct Measured: Codable, Equatable, Sendable {
    /// The figures of one node's method.
    public struct Row: Codable, Equatable, Sendable {
        public var node: UInt32
        public var method: UInt32
        public var figures: FrontFigures

        public init(node: UInt32, method: UInt32, figures: FrontFigures) {
            self.node = node
            self.method = method
            self.figures = figures
        }
    }

    public var rows: [Row]

    public init(rows: [Row]) {
        self.rows = rows
    }
}

/// What a tracer has missed or not yet seen.
public struct TraceBatch: Codable, Equatable, Sendable {
    /// The number under which to ask for what follows.
    public var tracer: UInt64
    /// Messages since the last batch that had no room.
    public var lost: UInt64
    public var messages: [TracedMessage]

    public init(tracer: UInt64, lost: UInt64, messages: [TracedMessage]) {
        self.tracer = tracer
        self.lost = lost
        self.messages = messages
    }
}

/// A message as it passed between a worker and a front.
public struct TracedMessage: Codable, Equatable, Sendable {
    /// Microseconds since 1970.
    public var time: UInt64
    /// Whether it came from a front.
    public var isFromFront: Bool
    /// Absent where none took part.
    public var front: UInt64?
    public var node: UInt32?
    public var feature: String?
    /// The method's key.
    public var method: String?
    /// The kind of its frame.
    public var kind: String
    /// The payload's bytes; absent where nothing travelled.
    public var bytes: Int?
    /// `done`, a fault's code, or what became of it here.
    public var outcome: String?
    /// Microseconds since the event arrived or the question was asked.
    public var duration: UInt64?
    /// The payload; only for who asked for values, and if it is not too large.
    public var value: [UInt8]?

    public init(time: UInt64, isFromFront: Bool, kind: String) {
        self.time = time
        self.isFromFront = isFromFront
        self.kind = kind
    }
}
