// Export: the command that sends metrics and traces to an OpenTelemetry collector.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinRuntime
import NapkinTransport
import NapkinWeb

struct Export: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends metrics and traces to an OpenTelemetry collector.",
        discussion: """
            Posts OTLP in JSON to URL/v1/metrics and URL/v1/traces, at each interval, until \
            Ctrl-C. Metrics are what napkind and `top` count: the daemon's and the workers' \
            memory and age, each app's state, sessions, fronts and crashes, and for each method \
            calls, failures and durations. Traces are what `trace` shows: a span for each event \
            and each question that has ended, without values, of up to 64 running sessions. A \
            span of a durable event has the number of its record, as `ledger show` lists it, and \
            a duration has that of its newest one as an exemplar.

              napkin-client export --otlp http://127.0.0.1:4318
              napkin-client export --otlp http://127.0.0.1:4318 --no-traces --interval 60
              napkin-client export --otlp http://127.0.0.1:4318 --count 1 || echo it is away

            Nothing runs inside workers: they measure and trace while this command asks, as for \
            `top` and `trace`, and stop 5 s after it has ended. A collector that is away costs \
            them nothing: the command tries again, less and less often up to 5 minutes, keeps \
            the newest 8192 spans, and says on standard error when it begins and ends to fail. \
            napkind is not started; while it is away, that is what the metrics say.

            TLS and credentials are a collector's on this machine, which then sends all on. With \
            --count, the exit status is 69 if the last export has not arrived; it is 65 or 77 if \
            the collector refuses what it gets or who sends it.
            """)

    /// The number of spans in one request, which limits its bytes. Chosen: some 512 KiB.
    private static let spansOfRequest = 1024
    /// Source: OTLP 1.5, "OTLP/HTTP Default Port"
    private static let port = 4318

    @Option(
        help: ArgumentHelp(
            "Where the collector listens: http://HOST[:PORT][/PATH]. Default port: 4318.",
            valueName: "url"))
    var otlp: String

    @Option(help: ArgumentHelp("Seconds between two exports. Default: 10.", valueName: "seconds"))
    var interval = 10.0

    @Option(help: ArgumentHelp("Stop after this many exports.", valueName: "number"))
    var count: Int?

    @Flag(name: .customLong("no-traces"), help: "Send metrics only.")
    var noTraces = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard HTTPAddress(otlp, port: Self.port) != nil else {
            throw ValidationError(
                "--otlp takes http://HOST[:PORT][/PATH] and no '\(otlp)': for TLS, let a collector "
                    + "on this machine send it on")
        }
        guard interval >= 0.1, interval <= ExportPace.most else {
            throw ValidationError("--interval takes seconds, 0.1 to \(Int(ExportPace.most))")
        }
        if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        guard let address = HTTPAddress(otlp, port: Self.port) else {
            preconditionFailure("it was checked")
        }
        let signals = try SignalWatcher.endings { Glibc.exit(0) }
        defer { for signal in signals { signal.cancel() } }
        let collector = MetricCollector(daemon)
        let exporter = Exporter(to: address, collector, traces: !noTraces)
        var pace = ExportPace(interval: interval)
        var rounds = 0
        var wasAway = false
        // This makes the workers begin to measure.
        _ = await collector.metrics()
        while true {
            await exporter.follow(for: pace.seconds(.random(in: 0...1)))
            let (verdict, pause) = try await exporter.export()
            switch verdict {
            case .arrived:
                pace.arrived()
                if wasAway { ClientFailure.say("\(otlp) takes what it is sent again") }
                wasAway = false
            case .away(let reason):
                pace.failed(pause: pause)
                if !wasAway {
                    let failure = ClientFailure.unavailable(
                        "\(otlp) takes nothing, and is tried again: \(reason)")
                    failure.report()
                }
                wasAway = true
            case .refused(let status, let reason):
                throw ClientFailure(
                    [401, 403].contains(status) ? ExitTable.noPermission : ExitTable.dataError,
                    "\(otlp) refuses what it is sent: \(reason)")
            }
            rounds += 1
            if rounds == count { return wasAway ? ExitTable.unavailable : 0 }
        }
    }

    /// Sends the data that two collectors have gathered.
    @MainActor
    private final class Exporter {
        private let address: HTTPAddress
        private let metrics: MetricCollector
        private let spans: SpanCollector?
        private let instance = String.randomWord()

        init(to address: HTTPAddress, _ metrics: MetricCollector, traces: Bool) {
            self.address = address
            self.metrics = metrics
            spans = traces ? SpanCollector() : nil
        }

        /// Waits, and traces sessions that are found meanwhile.
        func follow(for seconds: Double) async {
            var left = seconds
            while left > 0 {
                let pause = min(left, Top.keepAlive / 2)
                await LoopTimer.wait(.milliseconds(pause * 1000))
                left -= pause
                guard let spans, let connection = await metrics.connected() else { continue }
                spans.follow(metrics.running, at: connection)
            }
        }

        func export() async throws(ClientFailure) -> (ExportPace.Verdict, pause: Int?) {
            let now = MeasuringClock.wallNanoseconds
            let body = try OTLP.body(of: await metrics.metrics(), from: instance, at: now)
            var (verdict, pause) = await post(body, "/v1/metrics")
            while verdict == .arrived, let spans, !spans.spans.isEmpty {
                let taken = spans.take(Export.spansOfRequest)
                let body = try OTLP.body(of: taken, from: instance)
                (verdict, pause) = await post(body, "/v1/traces")
                if verdict != .arrived { spans.putBack(taken) }
            }
            return (verdict, pause)
        }

        private func post(
            _ body: [UInt8], _ path: String
        ) async -> (ExportPace.Verdict, pause: Int?) {
            do throws(HTTPPost.Failure) {
                let answer = try await HTTPPost.json(body, to: address, below: path)
                return (ExportPace.verdict(on: answer), answer.pause)
            } catch {
                return (.away(error.reason), nil)
            }
        }
    }
}
