// FrontMeter: measures how long a front's events take, while a worker asks for the figures.
//
// Ownership  owned by a front's session while a worker asks, until the connection ends.
// Invariant  at most `Limits.crossingsMax` rows, and one stamp for each event under way.
// Spec       Protocol/SPEC.md, section 6.37 (measure)

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Records when each event is called, written and answered.
@MainActor
final class FrontMeter {
    private struct Crossing: Hashable {
        var node: UInt32
        var method: UInt32
    }

    private struct Stamp {
        var crossing: Crossing
        var began: UInt64
        var written: UInt64?
    }

    private var stamps: [ObjectIdentifier: Stamp] = [:]
    private var unwritten: [ObjectIdentifier] = []
    private var rows: [Crossing: FrontFigures] = [:]
    private var timer: LoopTimer?
    private let expired: () -> Void

    init(expired: @escaping () -> Void) {
        self.expired = expired
    }

    /// Extends the measurement and returns the figures so far.
    func report(for measure: Measure) -> Measured {
        timer?.cancel()
        let seconds = min(Int(measure.seconds), Limits.inspectionSeconds)
        timer = LoopTimer(after: .seconds(seconds)) { [weak self] in self?.expired() }
        return Measured(
            rows: rows.map {
                Measured.Row(node: $0.key.node, method: $0.key.method, figures: $0.value)
            })
    }

    /// Stops the measurement when the connection ends.
    func end() { timer?.cancel() }

    /// Records the call of an event.
    func began(_ event: PendingEvent, _ node: UInt32, _ method: MethodID) {
        stamps[ObjectIdentifier(event)] = Stamp(
            crossing: Crossing(node: node, method: method.rawValue),
            began: MeasuringClock.nanoseconds)
    }

    /// Records that the event's frame has been passed to the link.
    func sent(_ event: PendingEvent, by link: Link) {
        unwritten.append(ObjectIdentifier(event))
        link.requestFlush()
    }

    /// Stamps events before their write: the worker may read them before the write returns.
    func willFlush() {
        let now = MeasuringClock.nanoseconds
        for event in unwritten { stamps[event]?.written = now }
        unwritten = []
    }

    /// Records the event's answer. Ignores an event that began before the meter.
    func ended(_ event: PendingEvent) {
        guard let stamp = stamps.removeValue(forKey: ObjectIdentifier(event)),
            let written = stamp.written,
            rows[stamp.crossing] != nil || rows.count < Limits.crossingsMax
        else { return }
        let now = MeasuringClock.nanoseconds
        var figures = rows[stamp.crossing] ?? FrontFigures()
        figures.calls += 1
        figures.queue += written - stamp.began
        figures.trip += now - written
        figures.durations.add(now - stamp.began)
        rows[stamp.crossing] = figures
    }
}
