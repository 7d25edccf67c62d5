// ControlInput: parses one line of the control mode's input.
//
// Spec       ARCHITECTURE.md (the command line)
//
//   {"t":"event","id":1,"feature":"a.b","method":"didTapBack()","args":[]}
//   {"t":"event","id":1,"node":3,"method":"didTapBack()","args":[]}
//   {"t":"answer","id":7,"value":…}
//   {"t":"detach"}
//
// An answer has the `id` of its question; a `refused` line reports an answer to no question, and
// why. An event's `id` is any JSON value and comes back in its reply; `args` may be left out.
// Unknown members are ignored.

import NapkinCoding

struct ControlEvent: Equatable {
    /// The event's feature or node.
    enum Target: Equatable {
        case feature(String)
        case node(UInt32)
    }

    /// The JSON text that identifies the event in its reply.
    var id: [UInt8]
    var target: Target
    /// The method's key, `didTapBack()`.
    var method: String
    var arguments: [[UInt8]]
}

enum ControlInput: Equatable {
    case event(ControlEvent)
    /// The value as CBOR; empty if there is none.
    case answer(id: UInt64, value: [UInt8])
    case detach
}

/// The error of a line that could not be parsed.
struct ControlMistake: Error, Equatable {
    /// Differs from every code of a worker's fault: nothing was sent.
    static let code = "malformed"

    /// The JSON text of the line's id; `null` if it has no readable one.
    var id: [UInt8]
    var message: String
    var isAnswer = false
}

extension ControlInput {
    /// Parses a line, unless it was too long.
    init(_ line: InputLines.Line) throws(ControlMistake) {
        switch line {
        case .text(let text): try self.init(line: text)
        case .beginning(let text):
            let object = JSONObjectReader(beginning: text)
            throw ControlMistake(
                id: object.raw("id") ?? Array("null".utf8),
                message: "a line has more than \(InputLines.bytesMax) bytes",
                isAnswer: object.raw("t") == Array(#""answer""#.utf8))
        }
    }

    init(line: [UInt8]) throws(ControlMistake) {
        let object: JSONObjectReader
        do throws(JSONError) {
            object = try JSONObjectReader(line)
        } catch {
            throw ControlMistake(id: Array("null".utf8), message: "not a JSON object: \(error)")
        }
        let id = object.raw("id") ?? Array("null".utf8)
        do throws(JSONError) {
            self = try Self.input(object, id: id)
        } catch {
            throw ControlMistake(
                id: id, message: "\(error.detail)",
                isAnswer: object.raw("t") == Array(#""answer""#.utf8))
        }
    }

    private static func input(
        _ object: JSONObjectReader, id: [UInt8]
    ) throws(JSONError) -> ControlInput {
        switch try object.string("t") {
        case "event":
            return .event(
                ControlEvent(
                    id: id, target: try target(object),
                    method: try required("method", try object.string("method")),
                    arguments: try arguments(object)))
        case "answer":
            let number = try required("id", try object.int("id"))
            guard let id = UInt64(exactly: number) else { throw wrong("id is negative") }
            return .answer(id: id, value: object.cbor("value") ?? [])
        case "detach":
            return .detach
        case let other?:
            throw wrong("t is \(other); it must be event, answer or detach")
        case nil:
            throw wrong("t is missing; it must be event, answer or detach")
        }
    }

    private static func target(_ object: JSONObjectReader) throws(JSONError) -> ControlEvent.Target
    {
        if let number = try object.int("node") {
            guard let node = UInt32(exactly: number) else {
                throw wrong("node is out of range")
            }
            return .node(node)
        }
        guard let feature = try object.string("feature") else {
            throw wrong("an event names its feature or its node")
        }
        return .feature(feature)
    }

    private static func arguments(_ object: JSONObjectReader) throws(JSONError) -> [[UInt8]] {
        guard let cbor = object.cbor("args") else { return [] }
        guard let items = cbor.encodedItems(of: .array) else { throw wrong("args is not an array") }
        return items
    }

    private static func required<T>(_ name: String, _ value: T?) throws(JSONError) -> T {
        guard let value else { throw wrong("\(name) is missing") }
        return value
    }

    private static func wrong(_ detail: String) -> JSONError {
        JSONError(.wrongMember, at: 0, detail)
    }
}
