// ExportPace: decides when the next export is due, and whether a failed one is tried again.
//
// Spec       OTLP 1.5, "Failures" and "OTLP/HTTP Throttling"

import NapkinWeb

/// The time between two exports, which grows while the collector is away.
struct ExportPace {
    /// The longest time. Chosen: a collector that is back is noticed soon enough.
    static let most = 300.0

    enum Verdict: Equatable {
        case arrived
        /// It may arrive later.
        case away(String)
        /// It never will.
        case refused(status: Int, String)
    }

    private let interval: Double
    private var failures = 0
    private var pause: Double?

    init(interval: Double) { self.interval = interval }

    static func verdict(on answer: HTTPPost.Answer) -> Verdict {
        let words = answer.body.isEmpty ? "" : ": " + Self.words(of: answer.body)
        return switch answer.status {
        case 200..<300: .arrived
        case 429, 502, 503, 504: .away("it answers \(answer.status)\(words)")
        default: .refused(status: answer.status, "it answers \(answer.status)\(words)")
        }
    }

    /// The beginning of a collector's answer.
    private static func words(of body: [UInt8]) -> String {
        String(decoding: body.prefix(200), as: UTF8.self)
            .split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    mutating func arrived() {
        failures = 0
        pause = nil
    }

    /// - Parameter pause: the seconds for which the collector asks not to be contacted.
    mutating func failed(pause: Int? = nil) {
        failures += 1
        self.pause = pause.map { Double(max(0, $0)) }
    }

    /// Seconds until the next export.
    ///
    /// - Parameter share: random, from 0 to 1, so that many exporters do not come back together.
    func seconds(_ share: Double) -> Double {
        guard failures > 0 else { return interval }
        // 2 to the 9th, times a second, exceeds the longest time.
        let longer = interval * Double(1 << min(failures - 1, 9))
        let spread = min(Self.most, longer) * (0.75 + share / 4)
        return max(interval, spread, min(Self.most, pause ?? 0))
    }
}
