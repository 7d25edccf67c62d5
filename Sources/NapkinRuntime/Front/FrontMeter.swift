// FrontMeter: what a front measures of its events, while a worker wants to know.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owned by the client of one connection, which has none when nobody asks.
// Invariant  at most `Limits.crossingsMax` rows, and one stamp for each event under way.
// Spec       Protocol/SPEC.md, section 6.37 (measure)

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Takes the times of events: called, about to be written, answered.
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

    /// Extends the measurement, and returns the figures so far.
    func report(for measure: Measure) -> Measured {
        timer?.cancel()
        let seconds = min(Int(measure.seconds), Limits.inspectionSeconds)
        timer = LoopTimer(after: .seconds(seconds)) { [weak self] in self?.expired() }
        return Measured(
            rows: rows.map {
                Measured.Row(node: $0.key.node, method: $0.key.method, figures: $0.value)
            })
    }

    /// The connection has ended.
    func end() { timer?.cancel() }

    /// An event has been called, and waits for credit.
    func began(_ event: PendingEvent, _ node: UInt32, _ method: MethodID) {
        stamps[ObjectIdentifier(event)] = Stamp(
            crossing: Crossing(node: node, method: method.rawValue),
            began: MeasuringClock.nanoseconds)
    }

    /// Its frame has been given to the link.
    func sent(_ event: PendingEvent, by link: Link) {
        unwritten.append(ObjectIdentifier(event))
        link.requestFlush()
    }

    /// What has been sent is about to be written: the worker may read it before that has returned.
    func willFlush() {
        let now = MeasuringClock.nanoseconds
        for event in unwritten { stamps[event]?.written = now }
        unwritten = []
    }

    /// The event's answer has been read. An event from before the meter began is not known here.
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
