// OTLPTests: what is posted to a collector, byte by byte, and what becomes of its answers.

import NapkinProtocol
import NapkinWeb
import TestSupport
import Testing

@testable import NapkinClient

@Suite struct OTLPTests {
    private static let head =
        #"{"attributes":[{"key":"service.name","value":{"stringValue":"napkin"}},"#
        + #"{"key":"service.version","value":{"stringValue":"\#(NapkinVersion.text)"}},"#
        + #"{"key":"service.instance.id","value":{"stringValue":"i"}}]}"#
    private static let scope = #""scope":{"name":"napkin","version":"\#(NapkinVersion.text)"}"#

    private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    @Test func `metrics have numbers as strings, and their durations exemplars`() throws {
        var sessions = Metric(
            name: "napkin.app.sessions", unit: "{session}", text: "Sessions.", kind: .gauge)
        sessions.add(.max, ["napkin.app": "shop"])
        var crashes = Metric(
            name: "napkin.app.crashes", unit: "{crash}", text: "Deaths.", kind: .counter, start: 5)
        crashes.add(2, [:])
        var durations = Durations()
        durations.counts[1] = 3
        durations.nanoseconds = 4500
        durations.recorded = RecordedCall(session: "lunch", record: 7, nanoseconds: 1500)
        let times = Metric(
            name: "napkin.crossing.duration", unit: "s", text: "Times.", kind: .durations, start: 5,
            points: [.init(labels: [], value: .durations(durations))])
        let empty = Metric(name: "none", unit: "1", text: "", kind: .gauge)
        let body = try OTLP.body(of: [sessions, crashes, times, empty], from: "i", at: 9)
        let bounds = Durations.bounds.map { "\(Double($0) / 1e9)" }.joined(separator: ",")
        let counts = (0...Durations.bounds.count).map { $0 == 1 ? #""3""# : #""0""# }
            .joined(separator: ",")
        #expect(
            text(body)
                == #"{"resourceMetrics":[{"resource":\#(Self.head),"#
                + #""scopeMetrics":[{\#(Self.scope),"#
                + #""metrics":[{"name":"napkin.app.sessions","description":"Sessions.","#
                + #""unit":"{session}","gauge":{"dataPoints":[{"attributes":[{"key":"napkin.app","#
                + #""value":{"stringValue":"shop"}}],"timeUnixNano":"9","#
                + #""asInt":"9223372036854775807"}]}},"#
                + #"{"name":"napkin.app.crashes","description":"Deaths.","unit":"{crash}","#
                + #""sum":{"dataPoints":[{"attributes":[],"startTimeUnixNano":"5","#
                + #""timeUnixNano":"9","asInt":"2"}],"aggregationTemporality":2,"#
                + #""isMonotonic":true}},"#
                + #"{"name":"napkin.crossing.duration","description":"Times.","unit":"s","#
                + #""histogram":{"dataPoints":[{"attributes":[],"startTimeUnixNano":"5","#
                + #""timeUnixNano":"9","count":"3","sum":4.5e-06,"bucketCounts":[\#(counts)],"#
                + #""explicitBounds":[\#(bounds)],"exemplars":[{"filteredAttributes":["#
                + #"{"key":"napkin.record","value":{"intValue":"7"}},"#
                + #"{"key":"napkin.session","value":{"stringValue":"lunch"}}],"#
                + #""timeUnixNano":"9","asDouble":1.5e-06}]}],"aggregationTemporality":2}}]}]}]}"#)
    }

    private func made(_ message: TracedMessage) -> OTLP.Span? {
        var random = Randomness(seed: 1)
        return OTLP.Span(message, of: "lunch", in: "shop", random: &random)
    }

    private func reply(_ kind: String = "reply", _ outcome: String = "done") -> TracedMessage {
        var message = TracedMessage(time: 1000, isFromFront: false, kind: kind)
        (message.front, message.node, message.record) = (1, 2, 7)
        (message.feature, message.method) = ("shop.cart", "add(_:)")
        (message.outcome, message.duration) = (outcome, 40)
        return message
    }

    @Test func `a reply is a span with hexadecimal ids and its record`() throws {
        let span = try #require(made(reply()))
        #expect(span.traceId.count == 32 && span.spanId.count == 16)
        #expect((span.traceId + span.spanId).allSatisfy { "0123456789abcdef".contains($0) })
        #expect(
            text(try OTLP.body(of: [span], from: "i"))
                == #"{"resourceSpans":[{"resource":\#(Self.head),"scopeSpans":[{\#(Self.scope),"#
                + #""spans":[{"traceId":"\#(span.traceId)","spanId":"\#(span.spanId)","#
                + #""name":"shop.cart/add(_:)","kind":2,"startTimeUnixNano":"960000","#
                + #""endTimeUnixNano":"1000000","attributes":["#
                + #"{"key":"rpc.system","value":{"stringValue":"napkin"}},"#
                + #"{"key":"rpc.service","value":{"stringValue":"shop.cart"}},"#
                + #"{"key":"rpc.method","value":{"stringValue":"add(_:)"}},"#
                + #"{"key":"napkin.app","value":{"stringValue":"shop"}},"#
                + #"{"key":"napkin.session","value":{"stringValue":"lunch"}},"#
                + #"{"key":"napkin.front","value":{"intValue":"1"}},"#
                + #"{"key":"napkin.node","value":{"intValue":"2"}},"#
                + #"{"key":"napkin.record","value":{"intValue":"7"}}]}]}]}]}"#)
    }

    @Test func `a fault is an error, a question is the worker's, and the rest is no span`() {
        let fault = made(reply("fault", "overloaded"))
        #expect(fault?.status == .init(code: 2) && fault?.kind == 2)
        #expect(fault?.attributes.last == .init("error.type", "overloaded"))
        #expect(made(reply("askReply"))?.kind == 3)
        #expect(made(reply("event")) == nil && made(reply("state")) == nil)
        var unmeasured = reply()
        unmeasured.duration = nil
        #expect(made(unmeasured) == nil)
    }

    @Test func `an event belongs to its caller's trace, unless nobody keeps that`() throws {
        let trace = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        func span(_ flags: String, _ version: String = "00") -> OTLP.Span? {
            var message = reply()
            message.traceparent = "\(version)-\(trace.0)-\(trace.1)-\(flags)"
            return made(message)
        }
        let child = try #require(span("01"))
        #expect(child.traceId == trace.0 && child.parentSpanId == trace.1)
        #expect(child.spanId != trace.1)
        #expect(
            text(try OTLP.body(of: [child], from: "i")).contains(#""parentSpanId":"\#(trace.1)","#))
        #expect(span("00") == nil)
        // An invalid one is none.
        let own = try #require(span("01", "ff"))
        #expect(own.traceId != trace.0 && own.parentSpanId == nil)
    }

    @Test func `a collector that is busy is asked later, and one that refuses never again`() {
        func verdict(_ status: Int) -> ExportPace.Verdict {
            ExportPace.verdict(on: .init(status: status, body: Array("no\nroom".utf8)))
        }
        #expect(verdict(200) == .arrived && verdict(202) == .arrived)
        for status in [429, 502, 503, 504] {
            #expect(verdict(status) == .away("it answers \(status): no room"))
        }
        for status in [400, 401, 404, 413, 500] {
            #expect(verdict(status) == .refused(status: status, "it answers \(status): no room"))
        }
    }

    @Test func `the pause grows with each failure up to a limit, and ends with a success`() {
        var pace = ExportPace(interval: 10)
        #expect(pace.seconds(1) == 10)
        let pauses = (0..<12).map { _ in
            pace.failed()
            return pace.seconds(1)
        }
        #expect(pauses[...5] == [10, 20, 40, 80, 160, 300])
        #expect(pauses.last == ExportPace.most && pace.seconds(0) == 225)
        pace.failed(pause: 1_000_000)
        #expect(pace.seconds(1) == ExportPace.most)
        pace.arrived()
        #expect(pace.seconds(0) == 10)
        pace.failed(pause: 30)
        #expect(pace.seconds(1) == 30 && pace.seconds(0) == 30)
    }
}
