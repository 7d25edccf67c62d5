// TraceLineTests: messages as lines, with what the schema says of them.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTerminal
import NapkinTransport
import Testing

@testable import NapkinClient

struct TraceLineTests {
    private let lines = TraceLine(
        AppSchema(
            app: "shop",
            features: [
                FeatureSchema(
                    feature: "shop.cart",
                    presents: [
                        MethodSchema(
                            key: "present(total:)", delivery: .state,
                            parameters: [
                                ParameterSchema(label: "total", name: "total", type: "Int")
                            ])
                    ],
                    listens: [
                        MethodSchema(
                            key: "didAdd(_:count:)", delivery: .event,
                            parameters: [
                                ParameterSchema(label: "_", name: "name", type: "String"),
                                ParameterSchema(label: "count", name: "count", type: "Int"),
                            ], result: "Bool")
                    ])
            ], types: []))

    private func message(
        _ kind: String, _ method: String?, fromFront: Bool, json: String? = nil
    ) throws -> TracedMessage {
        var message = TracedMessage(time: 0, isFromFront: fromFront, kind: kind)
        message.front = 1
        message.node = 3
        message.feature = method == nil ? nil : "shop.cart"
        message.method = method
        message.value = try json.map { try JSONToCBOR.transcode(Array($0.utf8)) }
        message.bytes = message.value?.count ?? 6
        return message
    }

    private func text(_ message: TracedMessage) -> String {
        lines.text(of: message) { _ in "12:00:00.000000" }
    }

    @Test func `without values the types are shown`() throws {
        let event = try message("event", "didAdd(_:count:)", fromFront: true)
        #expect(
            text(event)
                == "12:00:00.000000 → front 1 #3 shop.cart didAdd(String, count: Int) event 6 B")
    }

    @Test func `with values each stands in its place`() throws {
        let event = try message(
            "event", "didAdd(_:count:)", fromFront: true, json: #"["Ribs", 2]"#)
        #expect(text(event).hasSuffix(#"didAdd("Ribs", count: 2) event 7 B"#))
        let state = try message("state", "present(total:)", fromFront: false, json: "7")
        #expect(text(state).hasSuffix("← front 1 #3 shop.cart present(total: 7) state 1 B"))
    }

    @Test func `a reply says what became of the call`() throws {
        var reply = try message("reply", "didAdd(_:count:)", fromFront: false, json: "true")
        reply.outcome = "done"
        reply.duration = 41
        #expect(text(reply).hasSuffix("didAdd(_:count:) reply 1 B done 41 µs -> Bool true"))
        reply.value = nil
        #expect(text(reply).hasSuffix("done 41 µs -> Bool"))
    }

    @Test func `in colours the words are the same, and what went wrong is red`() throws {
        var reply = try message("reply", "didAdd(_:count:)", fromFront: false)
        reply.outcome = "failed\u{1B}[2J"
        let line = String(
            decoding: lines.lines(of: reply, isColoured: true) { _ in "12:00" }.bytes, as: UTF8.self
        )
        #expect(line.hasPrefix("\u{1B}[2m12:00\u{1B}[0m \u{1B}[32m←\u{1B}[0m front 1 "))
        #expect(line.contains("\u{1B}[31mreply\u{1B}[0m") && line.hasSuffix("\n"))
        // What a worker says is no sequence.
        #expect(line.contains("\u{1B}[31mfailed\\u{1B}[2J\u{1B}[0m"))
    }

    @Test func `in 80 columns a line goes on below itself, with every value whole`() throws {
        let name = String(repeating: "Ribs and ", count: 20) + String(repeating: "x", count: 200)
        var event = try message(
            "event", "didAdd(_:count:)", fromFront: true, json: #"["\#(name)", 2]"#)
        event.outcome = "failed"
        let drawn = String(
            decoding: lines.lines(of: event, in: 80) { _ in "12:00:00.000000" }.bytes,
            as: UTF8.self)
        let rows = drawn.split(separator: "\n").map(String.init)
        #expect(rows.count > 5)
        for row in rows { #expect(CellWidth.cells(of: row) <= 80, "\(row)") }
        for row in rows.dropFirst() { #expect(row.hasPrefix(String(repeating: " ", count: 16))) }
        let whole = { (text: String) in text.filter { !$0.isWhitespace } }
        #expect(whole(drawn) == whole(text(event)))
        // In a pipe it is one line, as before.
        let piped = lines.lines(of: event) { _ in "12:00:00.000000" }
        #expect(String(decoding: piped.bytes, as: UTF8.self) == text(event) + "\n")
    }

    @Test func `arguments that are not what the schema says are shown as types`() throws {
        for json in ["5", "[1]", #"["a", 1, 2]"#] {
            let event = try message("event", "didAdd(_:count:)", fromFront: true, json: json)
            #expect(text(event).contains("didAdd(String, count: Int)"))
        }
        var event = try message("event", "didAdd(_:count:)", fromFront: true)
        event.value = [0xFF]
        #expect(text(event).contains("didAdd(String, count: Int)"))
    }

    @Test func `as JSON it has what there is`() throws {
        var event = try message(
            "event", "didAdd(_:count:)", fromFront: true, json: #"["Ribs", 2]"#)
        event.outcome = "gone"
        #expect(
            String(decoding: lines.line(of: event).printable.bytes, as: UTF8.self)
                == #"{"t":"message","time":0,"from":"front","front":1,"node":3,"#
                + #""feature":"shop.cart","method":"didAdd(_:count:)","delivery":"event","#
                + #""kind":"event","bytes":7,"outcome":"gone","value":["Ribs",2]}"# + "\n")
    }
}
