// ExportTests: metrics and traces, as a collector and as a scraper get them.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExportTests {
    /// An HTTP server that prints each request as a line of JSON, and answers with a status.
    private struct Collector {
        let child: Child
        let address: String

        private static let program = """
            import http.server, json, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    line = {"path": self.path, "type": self.headers["Content-Type"]}
                    print(json.dumps(line | {"body": json.loads(body)}), flush=True)
                    self.send_response(int(sys.argv[2]))
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler, False)
            server.server_bind()
            print(server.server_address[1], flush=True)
            if sys.argv[1] == "away": sys.stdin.readline()
            server.server_activate()
            server.serve_forever()
            """

        /// - Parameter isAway: refuses connections until it reads a line; its port stays its own.
        init(isAway: Bool = false, status: Int = 200) async throws {
            let word = isAway ? "away" : "here"
            child = try Child("/usr/bin/python3", ["-c", Self.program, word, "\(status)"])
            let (_, port) = try await child.line { Int($0) != nil }
            address = "http://127.0.0.1:\(port)"
        }

        /// Returns the next request to that path that fits, and its number.
        ///
        /// - Parameter start: the first one's number; what is before is the server's port.
        func request(
            to path: String, from start: Int = 1,
            where fits: ([String: Any]) -> Bool = { _ in true }
        ) async throws -> (index: Int, body: [String: Any]) {
            let (index, line) = try await child.line(from: start) { line in
                let request = try JSON.object(line)
                guard request["path"] as? String == path,
                    let body = request["body"] as? [String: Any]
                else { return false }
                return fits(body)
            }
            return (index, try JSON.object(line)["body"] as? [String: Any] ?? [:])
        }

        var spans: [[String: Any]] {
            // The first line is the port, which is no object.
            child.lines.compactMap { try? JSON.object($0) }
                .filter { $0["path"] as? String == "/v1/traces" }
                .flatMap { ExportTests.spans($0["body"] as? [String: Any] ?? [:]) }
        }
    }

    /// The spans of a request.
    fileprivate static func spans(_ body: [String: Any]) -> [[String: Any]] {
        let resources = body["resourceSpans"] as? [[String: Any]] ?? []
        return resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
            .flatMap { $0["spans"] as? [[String: Any]] ?? [] }
    }

    /// The points of a metric of a request.
    private static func points(_ name: String, _ body: [String: Any]) -> [[String: Any]] {
        let resources = body["resourceMetrics"] as? [[String: Any]] ?? []
        let metrics = resources.flatMap { $0["scopeMetrics"] as? [[String: Any]] ?? [] }
            .flatMap { $0["metrics"] as? [[String: Any]] ?? [] }
        let found = metrics.filter { $0["name"] as? String == name }
        return found.flatMap { metric in
            ["gauge", "sum", "histogram"].compactMap { metric[$0] as? [String: Any] }
                .flatMap { $0["dataPoints"] as? [[String: Any]] ?? [] }
        }
    }

    private static func attribute(_ key: String, of item: [String: Any]) -> String? {
        let all = item["attributes"] as? [[String: Any]] ?? []
        let value = all.first { $0["key"] as? String == key }?["value"] as? [String: Any]
        return (value?["stringValue"] ?? value?["intValue"]) as? String
    }

    @Test func `a collector gets a durable event as a span with its record, which the ledger has`()
        async throws
    {
        let place = try await TallyPlace()
        #expect(try await place.add(1, to: "a") == 1)
        let collector = try await Collector()
        let export = try place.place.client(
            ["export", "--otlp", collector.address, "--interval", "0.2"])
        // Once the session's fronts are known, it is traced as well.
        var (last, _) = try await collector.request(to: "/v1/metrics") { body in
            Self.points("napkin.app.fronts", body).count == 2
        }
        var sum = 1
        while collector.spans.isEmpty {
            sum += 1
            #expect(try await place.add(1, to: "a") == sum)
            (last, _) = try await collector.request(to: "/v1/metrics", from: last + 1)
        }
        let (_, metrics) = try await collector.request(to: "/v1/metrics", from: last + 1) { body in
            !Self.points("napkin.crossing.duration", body).isEmpty
        }
        let points = Self.points("napkin.crossing.duration", metrics)
        #expect(points.contains { !($0["exemplars"] as? [Any] ?? []).isEmpty }, "\(points)")
        let found = try #require(collector.spans.first)
        #expect(found["name"] as? String == "\(TallyPlace.tally)/add(_:)")
        #expect(Self.attribute("napkin.session", of: found) == "a")
        let record = try #require(Self.attribute("napkin.record", of: found))
        let shown = try await place.place.run(["ledger", "show", "a", "--json"])
        #expect(shown.status == 0, "\(shown.errors)")
        let records = try JSON.object(shown.lines.joined())["records"] as? [[String: Any]] ?? []
        #expect(records.contains { "\($0["record"] ?? "")" == record }, "\(record): \(records)")
        sum += 2
        try await isInItsTrace(place, collector, sum)
        export.signal(SIGINT)
        #expect(await export.exit() == 0)
        try await isScraped(place, sum)
    }

    /// An event that a program sends belongs to its trace, which is kept with the front.
    private func isInItsTrace(
        _ place: TallyPlace, _ collector: Collector, _ sum: Int
    ) async throws {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        let traceparent = "00-\(trace)-\(span)-01"
        let words = ["send", "a", TallyPlace.tally, "add(_:)", "1"]
        let wrong = try await place.place.run(words + ["--traceparent", "00-\(trace)-\(span)"])
        #expect(wrong.status == 64 && wrong.errors.contains("--traceparent takes"), "\(wrong)")
        #expect(
            try await place.place.run(words + ["--traceparent", traceparent]).lines
                == ["\(sum - 1)"])
        // What a program inherits is not its own, and ignored if it is not valid.
        for text in [traceparent, "nothing"] {
            let child = try Child(
                Product.path("napkin-client"),
                (text == "nothing" ? ["send", "a", TallyPlace.tally, "read()"] : words)
                    + ["--socket", place.place.socket],
                environment: place.place.environment.merging(["TRACEPARENT": text]) { $1 })
            let (status, errors) = (await child.exit(), await child.allErrors())
            #expect(status == 0, "\(errors)")
        }
        _ = try await collector.request(to: "/v1/traces") { body in
            Self.spans(body).contains {
                $0["traceId"] as? String == trace && $0["parentSpanId"] as? String == span
            }
        }
        let shown = try await place.place.run(["ledger", "show", "a"])
        #expect(shown.lines.filter { $0.contains(" in \(traceparent)") }.count >= 2, "\(shown)")
    }

    @Test func `a collector that is away is tried again, and one that refuses ends the command`()
        async throws
    {
        let place = Workplace.questions()
        try await startsNone(place)
        try await place.daemon()
        let collector = try await Collector(isAway: true)
        let address = collector.address
        let once = try await place.run([
            "export", "--otlp", address, "--interval", "0.1", "--count", "2",
        ])
        #expect(once.status == 69)
        expectAdvice(once.errors, from: "napkin-client", ["\(address) takes nothing", "refused"])
        let export = try place.client(["export", "--otlp", address, "--interval", "0.1"])
        try await export.errors { $0.contains("takes nothing") }
        try collector.child.write("come")
        let (_, body) = try await collector.request(to: "/v1/metrics")
        #expect(Self.points("napkin.daemon.up", body).first?["asInt"] as? String == "1")
        try await export.errors { $0.contains("takes what it is sent again") }
        export.signal(SIGTERM)
        #expect(await export.exit() == 0)
        for (status, expected) in [(404, 65), (401, 77)] as [(Int, Int32)] {
            let strict = try await Collector(status: status)
            let refused = try await place.run([
                "export", "--otlp", strict.address, "--interval", "0.1",
            ])
            #expect(refused.status == expected)
            #expect(refused.errors.contains("it answers \(status)"), "\(refused.errors)")
        }
    }

    /// Without a napkind, none is started and the metrics say so.
    private func startsNone(_ place: Workplace) async throws {
        let collector = try await Collector()
        let result = try await place.run([
            "export", "--otlp", collector.address, "--interval", "0.1", "--count", "1",
        ])
        #expect(result.status == 0, "\(result.errors)")
        let (_, body) = try await collector.request(to: "/v1/metrics")
        #expect(Self.points("napkin.daemon.up", body).first?["asInt"] as? String == "0")
        #expect(!FileManager.default.fileExists(atPath: place.socket))
    }

    /// A scraper reads metrics with the file's token, in both formats.
    private func isScraped(_ place: TallyPlace, _ added: Int) async throws {
        let file = place.place.directory + "/token"
        let door = try await PageDoor(place.place, ["web", "--no-open", "--metrics", file])
        let token = try String(contentsOfFile: file, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600 && token.count == 32)
        #expect(try door.request("/metrics").hasPrefix("HTTP/1.1 401"))
        #expect(
            try door.request("/metrics", host: "evil.example", ["Authorization: Bearer \(token)"])
                .hasPrefix("HTTP/1.1 421"))
        let authorization = "Authorization: Bearer \(token)"
        let open = "Accept: application/openmetrics-text; version=1.0.0"
        var text = try door.request("/metrics", [authorization, open])
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.contains("application/openmetrics-text; version=1.0.0"))
        #expect(text.contains("napkin_daemon_up 1\n") && text.hasSuffix("# EOF\n"))
        // Workers measure from the first scrape on.
        var sum = added
        while !text.contains(" # {napkin_record=") {
            sum += 1
            #expect(try await place.add(1, to: "a") == sum)
            text = try door.request("/metrics", [authorization, open])
            try Task.checkCancellation()
        }
        let state = #"napkin_app_state{napkin_app="tally",napkin_app_state="running"} 1"#
        #expect(text.contains(state))
        let plain = try door.request("/metrics", [authorization])
        #expect(plain.contains("text/plain; version=0.0.4") && !plain.contains("# EOF"))
        let bodiless = try door.request("/metrics", method: "HEAD", [authorization])
        #expect(bodiless.hasPrefix("HTTP/1.1 200") && bodiless.hasSuffix("\r\n\r\n"))
        chmod(file, 0o644)
        let refused = try await place.place.run(["web", "--no-open", "--metrics", file])
        #expect(refused.status == 77)
        door.web.signal(SIGTERM)
        #expect(await door.web.exit() == 0)
    }
}
