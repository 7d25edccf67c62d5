// OpenQuestions: the questions put to a control front and a check of their answers.
//
// Invariant  a question is open from its `ask` line to its answer, its `askEnded` line, or the end
//            of the connection.
//
// The worker accepts the first answer as it is, so a script's answer is checked here, while the
// question can still stay open and the script can learn what is wrong.

import NapkinCoding
import NapkinCore

struct OpenQuestions {
    /// The reason why a line does not answer a question; nothing was sent.
    struct Mistake: Error, Equatable {
        var code: String
        var message: String
    }

    /// The answer's type for each open question, as the contract spells it; `nil` if it has none.
    private var results: [UInt64: String?] = [:]

    mutating func asked(_ id: UInt64, _ method: MethodSchema?) {
        results.updateValue(method?.result, forKey: id)
    }

    mutating func ended(_ id: UInt64) { results.removeValue(forKey: id) }

    /// Forgets every question when the connection is lost: the worker asks open ones again.
    mutating func removeAll() { results = [:] }

    /// Closes the question that `value` answers, or throws the reason and leaves it open.
    mutating func answer(_ id: UInt64, _ value: [UInt8]) throws(Mistake) {
        guard let result = results[id] else {
            throw Mistake(
                code: RemoteFault.Code.gone.rawValue,
                message: "there is no open question \(id): it has been answered or has ended")
        }
        if let result {
            guard !value.isEmpty else {
                throw Self.malformed("value is missing; the answer to \(id) must be a \(result)")
            }
            guard Self.isReadable(Payload(value), as: result) else {
                throw Self.malformed("value is not what was asked for; it must be a \(result)")
            }
        }
        ended(id)
    }

    private static func malformed(_ message: String) -> Mistake {
        Mistake(code: ControlMistake.code, message: message)
    }

    /// Whether a value has that standard library type; only their modules know other types.
    private static func isReadable(_ value: Payload, as type: String) -> Bool {
        if type.hasSuffix("?") {
            return value.bytes == [nullByte] || isReadable(value, as: String(type.dropLast()))
        }
        guard let known = scalars[type] else { return true }
        return known(value)
    }

    private static let nullByte: UInt8 = 0xF6

    private static let scalars: [String: @Sendable (Payload) -> Bool] = [
        "Bool": { reads($0, Bool.self) }, "String": { reads($0, String.self) },
        "Double": { reads($0, Double.self) }, "Float": { reads($0, Float.self) },
        "Int": { reads($0, Int.self) }, "UInt": { reads($0, UInt.self) },
        "Int8": { reads($0, Int8.self) }, "UInt8": { reads($0, UInt8.self) },
        "Int16": { reads($0, Int16.self) }, "UInt16": { reads($0, UInt16.self) },
        "Int32": { reads($0, Int32.self) }, "UInt32": { reads($0, UInt32.self) },
        "Int64": { reads($0, Int64.self) }, "UInt64": { reads($0, UInt64.self) },
    ]

    private static func reads<T: DirectlyCodable>(_ value: Payload, _ type: T.Type) -> Bool {
        do throws(CBORError) {
            _ = try value.decode(type)
            return true
        } catch {
            return false
        }
    }
}
