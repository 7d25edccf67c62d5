// SlowHandlers: reports event handlers that hold up the loop.
//
// Invariant  at most one report a second.

import NapkinCore
import NapkinProtocol

/// Handlers that run for long without a suspension.
@MainActor
final class SlowHandlers {
    static let shared = SlowHandlers()
    /// The shortest time of a slow handler, in nanoseconds. Chosen: a person notices it.
    static let leastNanoseconds: UInt64 = 100_000_000
    /// One report a second, in nanoseconds. Chosen: a log that a person can read.
    private var pace = ReportPace(interval: 1_000_000_000)

    /// Notes a handler that took this long until its first suspension or its return.
    func note(_ nanoseconds: UInt64, _ header: FrameHeader, of front: FrontSeat, at now: UInt64) {
        guard let others = pace.report(at: now) else { return }
        // The handler may have closed its feature.
        let feature = front.stage.node(header.node)?.feature.rawValue ?? CrossingNames.unknown
        let method = CrossingNames(front.session.features).name(of: header.method, in: feature)
        Anomaly.report(
            .handlerSlow(
                feature: feature, method: method,
                .milliseconds(nanoseconds / 1_000_000), others: others))
    }
}
