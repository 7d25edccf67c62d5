// JSONValue: any JSON, compared by value, its integers exact.

import Foundation

/// One JSON value of a vector.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Above the largest `Int64`.
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        func attempt<T: Decodable>(_ type: T.Type) -> T? {
            // A refusal says only that the next type is to be tried.
            try? value.decode(type)
        }
        if value.decodeNil() {
            self = .null
        } else if let bool = attempt(Bool.self) {
            self = .bool(bool)
        } else if let integer = attempt(Int64.self) {
            self = .integer(integer)
        } else if let unsigned = attempt(UInt64.self) {
            self = .unsigned(unsigned)
        } else if let number = attempt(Double.self) {
            self = .number(number)
        } else if let text = attempt(String.self) {
            self = .text(text)
        } else if let elements = attempt([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    /// The value as a type that reads it from JSON.
    package func decoded<T: Decodable>(as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
    }

    /// Reads JSON text.
    package init(parsing text: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text))
    }
}

extension JSONValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .unsigned(let unsigned): try container.encode(unsigned)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let fields): try container.encode(fields)
        }
    }
}

extension JSONValue {
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var object: [String: JSONValue]? {
        if case .object(let fields) = self { fields } else { nil }
    }

    package var unsigned: UInt64? {
        switch self {
        case .integer(let integer): UInt64(exactly: integer)
        case .unsigned(let unsigned): unsigned
        default: nil
        }
    }
}
