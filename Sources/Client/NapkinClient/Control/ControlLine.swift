// ControlLine: a line of the control mode's output, one JSON object.
//
// Invariant  `text` is a whole object without a line break in it.
// Spec       ARCHITECTURE.md (the command line)

import NapkinCoding
import NapkinCore
import NapkinTransport

struct ControlLine: Equatable {
    private var text: [UInt8]

    init(_ type: String) { self.init("t", type) }

    private init(_ name: String, _ value: String) {
        text = Array("{".utf8)
        CBORToJSON.append(string: name, to: &text)
        text.append(UInt8(ascii: ":"))
        CBORToJSON.append(string: value, to: &text)
    }

    private var whole: [UInt8] { text + [UInt8(ascii: "}")] }

    /// The whole object, as it is written.
    var printable: PrintableText { PrintableText(json: whole) }

    /// Adds a member, as the others here do; none if the value is `nil`.
    func adding(_ name: String, _ value: String?) -> ControlLine {
        guard let value else { return self }
        var line = self
        line.begin(name)
        CBORToJSON.append(string: value, to: &line.text)
        return line
    }

    func adding(_ name: String, _ value: (some BinaryInteger)?) -> ControlLine {
        value.map { adding(name, json: Array("\($0)".utf8)) } ?? self
    }

    func adding(_ name: String, _ value: Bool) -> ControlLine {
        adding(name, json: Array("\(value)".utf8))
    }

    /// Adds a value that is already JSON text.
    func adding(_ name: String, json: [UInt8]) -> ControlLine {
        var line = self
        line.begin(name)
        line.text += json
        return line
    }

    /// Adds a value; the line becomes an error if JSON cannot express it.
    func adding(_ name: String, encoding value: some Encodable) -> ControlLine {
        do throws(ClientFailure) {
            return adding(name, json: try JSONOutput.text(of: value))
        } catch {
            return ControlLine("error").adding("message", error.message)
        }
    }

    /// Adds a payload; an empty one is `null`, and for an unreadable one another member gives the
    /// reason.
    func adding(_ name: String, _ payload: Payload) -> ControlLine {
        do {
            return adding(name, json: try JSONOutput.text(of: payload))
        } catch {
            return adding(name, json: Array("null".utf8)).adding("unreadable", "\(error)")
        }
    }

    private mutating func begin(_ name: String) {
        text.append(UInt8(ascii: ","))
        CBORToJSON.append(string: name, to: &text)
        text.append(UInt8(ascii: ":"))
    }
}

extension ControlLine {
    static func reply(_ id: [UInt8], _ value: Payload) -> ControlLine {
        ControlLine("reply").adding("id", json: id).adding("ok", true).adding("value", value)
    }

    /// The reply to an event that was never sent.
    static func reply(_ id: [UInt8], code: String, _ message: String) -> ControlLine {
        ControlLine("reply").adding("id", json: id).adding("ok", false)
            .adding("error", json: error(code, message))
    }

    /// The reply to an event that its handler threw on or never received.
    static func reply(_ id: [UInt8], _ fault: RemoteFault) -> ControlLine {
        ControlLine("reply").adding("id", json: id).adding("ok", false)
            .adding(
                "error",
                json: error(fault.code.rawValue, fault.message, fault.error, fault.receipt))
    }

    /// Reports that a line does not answer the question with that id; if the question was open, it
    /// stays open.
    ///
    /// It is not a `reply`: a script numbers its events, the worker its questions, and both start
    /// at 1.
    static func refused(answerTo id: [UInt8], code: String, _ message: String) -> ControlLine {
        ControlLine("refused").adding("id", json: id)
            .adding("error", json: error(code, message))
    }

    /// Returns an error as JSON, with the error's value if its method declares one, and with the
    /// number of the receipt of an event that was set aside.
    private static func error(
        _ code: String, _ message: String, _ value: Payload? = nil, _ receipt: UInt64? = nil
    ) -> [UInt8] {
        var error = ControlLine("code", code).adding("message", message)
        // Invalid CBOR has no JSON form either; the message says what went wrong.
        if let value, let json = try? CBORToJSON.transcode(value.bytes) {
            error = error.adding("value", json: json)
        }
        return error.adding("receipt", receipt).whole
    }
}
