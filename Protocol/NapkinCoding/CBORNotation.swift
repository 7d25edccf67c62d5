// CBORNotation: one CBOR item as text, as JSON or for people.
//
// Spec       RFC 8949, sections 6.1 (JSON) and 8 (diagnostic notation)

/// The two ways to write an item.
enum CBORNotation {
    /// Integers are exact, even beyond 2^53. Byte strings become base64 text. Values that JSON
    /// cannot express become null: NaN, the infinities, undefined, other simple values. Keys must
    /// be text. Tags are refused.
    case json
    /// Has a form for every item.
    case diagnostic

    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends the next item. The reader's depth limit bounds the recursion.
    func append(_ reader: inout CBORReader, to text: inout [UInt8]) throws(CBORError) {
        switch reader.peekType() {
        case .unsigned: text += String(try reader.readInteger(UInt64.self)).utf8
        case .negative:
            let argument = try reader.readNegative()
            text += (argument == .max ? "-18446744073709551616" : "-\(argument + 1)").utf8
        case .bytes: append(try reader.readByteSpan(), to: &text)
        case .text: Self.quote(try reader.readString(), into: &text)
        case .array:
            let count = try reader.enteredArray()
            try list("[", "]", count, &reader, &text) { (reader, text) throws(CBORError) in
                try append(&reader, to: &text)
            }
        case .map:
            try reader.enter()
            let count = try reader.readMapHeader()
            try list("{", "}", count, &reader, &text) { (reader, text) throws(CBORError) in
                if self == .json {
                    Self.quote(try reader.readString(), into: &text)
                } else {
                    try append(&reader, to: &text)
                }
                text += (self == .json ? ":" : ": ").utf8
                try append(&reader, to: &text)
            }
        case .tag where self == .json:
            throw reader.failure(.unsupported, "a tag, which JSON cannot carry")
        case .tag:
            text += "\(try reader.readTag())(".utf8
            try reader.enter()
            try append(&reader, to: &text)
            reader.leave()
            text.append(UInt8(ascii: ")"))
        case .bool: text += (try reader.readBool() ? "true" : "false").utf8
        case .float: text += self.text(of: try reader.readDouble()).utf8
        case .null, .undefined, .simple, nil:
            text += self.text(ofSimple: try reader.readSimple()).utf8
        }
    }

    /// Appends the items of a container that has been entered, and leaves it.
    private func list(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ count: Int,
        _ reader: inout CBORReader, _ text: inout [UInt8],
        _ item: (inout CBORReader, inout [UInt8]) throws(CBORError) -> Void
    ) throws(CBORError) {
        text.append(UInt8(ascii: open))
        for index in 0..<count {
            if index > 0 { text += (self == .json ? "," : ", ").utf8 }
            try item(&reader, &text)
        }
        text.append(UInt8(ascii: close))
        reader.leave()
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        switch self {
        case .json:
            text.append(UInt8(ascii: "\""))
            Base64.append(bytes, to: &text)
            text.append(UInt8(ascii: "\""))
        case .diagnostic:
            text += "h'".utf8
            for byte in bytes { Self.append(hex: byte, to: &text) }
            text.append(UInt8(ascii: "'"))
        }
    }

    private func text(of value: Double) -> String {
        if value.isFinite { return "\(value)" }
        if self == .json { return "null" }
        return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    }

    private func text(ofSimple value: UInt8) -> String {
        switch value {
        case _ where self == .json || value == 22: "null"
        case 23: "undefined"
        default: "simple(\(value))"
        }
    }

    /// Appends a string in quotation marks, with control characters escaped.
    static func quote(_ string: String, into text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0x0a: text += "\\n".utf8
            case 0x0d: text += "\\r".utf8
            case 0x09: text += "\\t".utf8
            case 0..<0x20, 0x7f:
                text += "\\u00".utf8
                append(hex: byte, to: &text)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func append(hex byte: UInt8, to text: inout [UInt8]) {
        text.append(hexDigits[Int(byte >> 4)])
        text.append(hexDigits[Int(byte & 15)])
    }
}

/// One CBOR item as JSON text.
package enum CBORToJSON {
    /// Appends the next item of `reader` to `text`, on one line, without blanks.
    ///
    /// Errors: a `CBORError`; `text` then has the same length as before.
    package static func append(
        _ reader: inout CBORReader, to text: inout [UInt8]
    ) throws(CBORError) {
        let start = text.count
        do {
            try CBORNotation.json.append(&reader, to: &text)
        } catch {
            text.removeSubrange(start...)
            throw error
        }
    }

    /// Returns the JSON text of one item that fills `bytes`.
    package static func transcode(_ bytes: [UInt8]) throws(CBORError) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in
            var text: [UInt8] = []
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            try CBORNotation.json.append(&reader, to: &text)
            try reader.expectEnd()
            return text
        }
    }

    package static func append(string: String, to text: inout [UInt8]) {
        CBORNotation.quote(string, into: &text)
    }
}

/// Encoded bytes as readable text, for dumps and test failures.
package enum CBORDiagnostic {
    /// Describes a sequence of items, separated by commas. Never fails: an item that cannot be read
    /// ends the text with `<error at byte N: why>`.
    package static func describe(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            var text: [UInt8] = []
            do throws(CBORError) {
                while !reader.isAtEnd {
                    if !text.isEmpty { text += ", ".utf8 }
                    try CBORNotation.diagnostic.append(&reader, to: &text)
                }
            } catch {
                let reason = "\(error.code), \(error.detail)"
                text += "<error at byte \(error.offset): \(reason)>".utf8
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}

extension CBORReader {
    /// Returns the argument n of a negative integer, whose value is -1 - n.
    mutating func readNegative() throws(CBORError) -> UInt64 {
        try readHead(0x20, "a negative integer")
    }

    mutating func readTag() throws(CBORError) -> UInt64 { try readHead(0xc0, "a tag") }

    mutating func enteredArray() throws(CBORError) -> Int {
        try enter()
        return try readArrayHeader()
    }

    /// Returns the number of a simple value.
    mutating func readSimple() throws(CBORError) -> UInt8 {
        let start = position
        try skip()
        return byte(at: position - 1) & (position - start == 1 ? 0x1f : 0xff)
    }
}
