// FrontReports: collects the measurements that a session's fronts make of their events.
//
// Ownership  owned by the session's observer while it measures.
// Invariant  keeps the newest report of each open connection, at most `crossingsMax` rows, and the
//            sum of all others in as many rows.
// Spec       Protocol/SPEC.md, section 6.37 (measure)

import NapkinProtocol
import NapkinTransport

/// Asks fronts for their figures, and waits a moment for their answers.
@MainActor
final class FrontReports {
    struct Row {
        var feature: String
        var method: UInt32
        var figures: FrontFigures
    }

    /// One request: the connections that have not answered yet.
    private struct Round {
        var awaited: Set<UInt64>
        var waiting: CheckedContinuation<Void, Never>?
    }

    private var newest: [UInt64: [Measured.Row]] = [:]
    /// The figures of fronts that have left, by feature and method.
    private var departed: [String: [UInt32: FrontFigures]] = [:]
    private var features: [UInt32: String] = [:]
    private var rounds: [UInt64: Round] = [:]
    private var nextRound: UInt64 = 0

    /// Notes the feature of a node that receives events; a front knows only the node's number.
    func saw(_ node: UInt32, of feature: String) {
        if features[node] == nil, features.count < Limits.crossingsMax { features[node] = feature }
    }

    /// The figures of all fronts, including those that have left, for each method that was used.
    var rows: [Row] {
        newest.values.flatMap(\.self).compactMap { row in
            features[row.node].map {
                Row(feature: $0, method: row.method, figures: row.figures)
            }
        }
            + departed.flatMap { feature, methods in
                methods.map { Row(feature: feature, method: $0.key, figures: $0.value) }
            }
    }

    /// Asks all fronts, and returns when they have answered or their time is over.
    func gather(from fronts: [FrontSeat]) async {
        guard !fronts.isEmpty else { return }
        nextRound += 1
        let number = nextRound
        rounds[number] = Round(awaited: Set(fronts.map(\.connection)))
        let measure = Measure(seconds: UInt32(Limits.inspectionSeconds))
        for front in fronts { front.ordered(FrameHeader(.measure, sequence: number), measure) }
        let timer = LoopTimer(after: .milliseconds(Limits.measuredMilliseconds)) { [weak self] in
            self?.finish(number)
        }
        await withCheckedContinuation { continuation in
            rounds[number]?.waiting = continuation
            if rounds[number] == nil { continuation.resume() }
        }
        timer.cancel()
    }

    func received(_ number: UInt64, _ measured: Measured, from front: FrontSeat) {
        let sound = measured.rows.prefix(Limits.crossingsMax).filter {
            $0.figures.durations.isSound
        }
        newest[front.connection] = Array(sound)
        answered(number, front.connection)
    }

    func connectionEnded(_ connection: UInt64) {
        for row in newest.removeValue(forKey: connection) ?? [] {
            guard let feature = features[row.node] else { continue }
            let isKnown = departed[feature]?[row.method] != nil
            guard isKnown || departed.values.reduce(0, { $0 + $1.count }) < Limits.crossingsMax
            else { continue }
            departed[feature, default: [:]][row.method, default: FrontFigures()].add(row.figures)
        }
        for number in rounds.keys { answered(number, connection) }
    }

    private func answered(_ number: UInt64, _ connection: UInt64) {
        rounds[number]?.awaited.remove(connection)
        if rounds[number]?.awaited.isEmpty == true { finish(number) }
    }

    private func finish(_ number: UInt64) {
        guard let round = rounds.removeValue(forKey: number), let waiting = round.waiting else {
            return
        }
        Loop.keepingResumesOnLoop { waiting.resume() }
    }

    /// Ends all requests, because nobody measures any more.
    func end() {
        for number in rounds.keys { finish(number) }
    }
}
