// FigureTable: the figures of all measured crossings, up to a limit.
//
// Isolation  value; owned by the measuring party.
// Ownership  at most `Limits.crossingsMax` rows.
// Spec       Protocol/TOOLS.md, section 5 (Observing); Protocol/SPEC.md, section 12 (Limits)

/// Rows of figures, one for each crossing, in the order in which the crossings were added.
public struct FigureTable: Equatable, Sendable {
    /// The method that a row describes.
    public struct Crossing: Hashable, Sendable {
        public var feature: String
        public var method: String
        public var delivery: String

        public init(feature: String, method: String, delivery: String) {
            self.feature = feature
            self.method = method
            self.delivery = delivery
        }
    }

    public private(set) var rows: [CrossingFigures] = []
    private var places: [Crossing: Int] = [:]
    private var refused: Set<Crossing> = []

    public init() {}

    /// The number of crossings without a row, because there were too many. Counts up to
    /// `crossingsMax`.
    public var omitted: Int { refused.count }

    /// Changes a crossing's row, which is created with zeros if necessary.
    public mutating func change(_ crossing: Crossing, _ body: (inout CrossingFigures) -> Void) {
        if let place = places[crossing] { return body(&rows[place]) }
        guard rows.count < Limits.crossingsMax else {
            if refused.count < Limits.crossingsMax { refused.insert(crossing) }
            return
        }
        places[crossing] = rows.count
        rows.append(
            CrossingFigures(
                feature: crossing.feature, method: crossing.method, delivery: crossing.delivery))
        body(&rows[rows.count - 1])
    }

    /// Names the session of all recorded calls.
    public mutating func setSession(_ session: String) {
        for place in rows.indices { rows[place].recorded?.session = session }
    }

    /// Adds the figures of another session of the same worker.
    public mutating func add(_ other: FigureTable) {
        for row in other.rows {
            let crossing = Crossing(
                feature: row.feature, method: row.method, delivery: row.delivery)
            change(crossing) { $0.add(row) }
        }
        for crossing in other.refused where places[crossing] == nil { change(crossing) { _ in } }
    }
}

extension CrossingFigures {
    mutating func add(_ other: CrossingFigures) {
        calls &+= other.calls
        failures &+= other.failures
        queue &+= other.queue
        handler &+= other.handler
        reply &+= other.reply
        durations.add(other.durations)
        recorded = other.recorded ?? recorded
        guard let more = other.fronts else { return }
        var known = fronts ?? FrontFigures()
        known.add(more)
        fronts = known
    }
}
