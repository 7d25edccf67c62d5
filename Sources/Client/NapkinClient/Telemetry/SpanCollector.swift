// SpanCollector: traces the running sessions, and keeps their spans until they have been exported.
//
// Ownership  keeps at most `spansMax` spans, the newest; one task for each traced session.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
final class SpanCollector {
    /// The number of sessions traced at the same time. Chosen: each has a query open at napkind,
    /// which handles `requestsMax` for one process.
    static let sessionsMax = 64
    /// Spans that wait for the collector. Chosen: some 4 MiB of text.
    static let spansMax = 8192

    private var traced: Set<String> = []
    private(set) var spans: [OTLP.Span] = []
    private var random = SystemRandomNumberGenerator()

    /// Traces sessions that are not traced yet, each until it ends.
    func follow(_ sessions: [SessionInfo], at connection: DaemonConnection) {
        for info in sessions where traced.count < Self.sessionsMax {
            guard traced.insert(info.session).inserted else { continue }
            Task {
                await trace(info.session, of: info.app, at: connection)
                traced.remove(info.session)
            }
        }
    }

    private func trace(
        _ session: String, of app: String, at connection: DaemonConnection
    ) async {
        var tracer: UInt64?
        do throws(FrontError) {
            while true {
                let batch: TraceBatch = try await connection.query(
                    .trace(session: session, tracer: tracer, feature: nil, values: false))
                tracer = batch.tracer
                for message in batch.messages {
                    if let span = OTLP.Span(message, of: session, in: app, random: &random) {
                        spans.append(span)
                    }
                }
                dropOldest()
            }
        } catch {
            // It has ended or has another name, or napkind has gone; the next check finds it again.
        }
    }

    private func dropOldest() { spans.removeFirst(max(0, spans.count - Self.spansMax)) }

    /// Removes and returns the oldest spans.
    func take(_ most: Int) -> [OTLP.Span] {
        let taken = Array(spans.prefix(most))
        spans.removeFirst(taken.count)
        return taken
    }

    /// Puts back spans that have not arrived.
    func putBack(_ taken: [OTLP.Span]) {
        spans = taken + spans
        dropOldest()
    }
}
