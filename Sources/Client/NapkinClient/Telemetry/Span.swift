// Span: an event or a question of a session, from its beginning to its end, for OpenTelemetry.
//
// Spec       OTLP 1.5; OpenTelemetry's semantic conventions for remote procedure calls

import NapkinProtocol
import NapkinTransport

extension OTLP {
    struct Span: Encodable, Equatable {
        struct Status: Encodable, Equatable {
            var code: Int
        }

        /// SPAN_KIND_SERVER and SPAN_KIND_CLIENT
        private static let (server, client) = (2, 3)
        /// STATUS_CODE_ERROR
        private static let failed = 2

        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var status: Status?
    }
}

extension OTLP.Span {
    /// Creates the span of a traced message that ends an event or a question; `nil` for any other
    /// message, and for an event of a trace that nobody keeps. An event whose front acts in no
    /// trace starts a new one, as does each question, whose cause is unknown.
    init?(
        _ message: TracedMessage, of session: String, in app: String,
        random: inout some RandomNumberGenerator
    ) {
        switch message.kind {
        case "reply", "fault": kind = Self.server
        case "askReply", "askEnded": kind = Self.client
        default: return nil
        }
        guard let duration = message.duration, let feature = message.feature,
            let method = message.method, let outcome = message.outcome
        else { return nil }
        let parent = message.traceparent.flatMap(TraceParent.init)
        guard parent?.isSampled != false else { return nil }
        name = "\(feature)/\(method)"
        traceId = parent?.traceID ?? Self.id(of: 2, &random)
        parentSpanId = parent?.parentID
        spanId = Self.id(of: 1, &random)
        let end = message.time &* 1000
        endTimeUnixNano = "\(end)"
        startTimeUnixNano = "\(end.excess(over: duration &* 1000))"
        attributes = [
            .init("rpc.system", "napkin"), .init("rpc.service", feature),
            .init("rpc.method", method), .init("napkin.app", app),
            .init("napkin.session", session),
        ]
        let numbers: [(String, UInt64?)] = [
            ("napkin.front", message.front), ("napkin.node", message.node.map { UInt64($0) }),
            ("napkin.record", message.record),
        ]
        attributes += numbers.compactMap { key, number in number.map { OTLP.Attribute(key, $0) } }
        if outcome != "done" {
            attributes.append(.init("error.type", outcome))
            status = Status(code: Self.failed)
        }
    }

    /// Returns that many times 64 random bits in hexadecimal digits, not all of them 0.
    private static func id(
        of words: Int, _ random: inout some RandomNumberGenerator
    ) -> String {
        (0..<words).map { _ in
            UInt64.random(in: 1 ... .max, using: &random).digits(16, radix: 16)
        }
        .joined()
    }
}
