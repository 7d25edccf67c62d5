// CBORToJSON: one CBOR item as JSON text.
//
// Spec       RFC 8949, section 6.1
//
// Integers are printed exactly, even beyond 2^53. Byte strings become base64 text. Values that
// JSON cannot express become null: NaN, the infinities, undefined, other simple values. Keys must
// be text. Tags are refused.

package enum CBORToJSON {
    /// Appends the next item of `reader` to `text`, on one line, without blanks.
    ///
    /// Errors: a `CBORError`; `text` then has the same length as before.
    package static func append(
        _ reader: inout CBORReader, to text: inout [UInt8]
    ) throws(CBORError) {
        let start = text.count
        do {
            try appendItem(&reader, to: &text)
        } catch {
            text.removeSubrange(start...)
            throw error
        }
    }

    /// Returns the JSON text of one item that fills `bytes`.
    package static func transcode(
        _ bytes: [UInt8], limits: CBORLimits = .standard
    ) throws(CBORError) -> [UInt8] {
        var text: [UInt8] = []
        var failure: CBORError?
        bytes.withUnsafeBytes { bytes in
            do throws(CBORError) {
                var reader = CBORReader(bytes, limits: limits)
                try append(&reader, to: &text)
                try reader.expectEnd()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return text
    }

    package static func append(string: String, to text: inout [UInt8]) {
        var native = string
        native.withUTF8 { quote(UnsafeRawBufferPointer($0), into: &text) }
    }

    /// The reader's depth limit bounds the recursion.
    private static func appendItem(
        _ reader: inout CBORReader, to text: inout [UInt8]
    ) throws(CBORError) {
        switch reader.peekType() {
        case .unsigned: text += String(try reader.readInteger(UInt64.self)).utf8
        case .negative:
            let argument = try reader.readNegative()
            text += (argument == .max ? "-18446744073709551616" : "-\(argument + 1)").utf8
        case .bytes:
            text.append(UInt8(ascii: "\""))
            Base64.append(try reader.readByteSpan(), to: &text)
            text.append(UInt8(ascii: "\""))
        case .text: append(string: try reader.readString(), to: &text)
        case .array:
            let count = try reader.enteredArray()
            text.append(UInt8(ascii: "["))
            for index in 0..<count {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                try appendItem(&reader, to: &text)
            }
            text.append(UInt8(ascii: "]"))
            reader.leave()
        case .map: try appendMap(&reader, to: &text)
        case .tag: throw reader.failure(.unsupported, "a tag, which JSON cannot carry")
        case .bool: text += (try reader.readBool() ? "true" : "false").utf8
        case .float:
            let value = try reader.readDouble()
            text += (value.isFinite ? "\(value)" : "null").utf8
        case .null, .undefined, .simple:
            try reader.skip()
            text += "null".utf8
        case nil: throw reader.truncated()
        }
    }

    private static func appendMap(
        _ reader: inout CBORReader, to text: inout [UInt8]
    ) throws(CBORError) {
        try reader.enter()
        let count = try reader.readMapHeader()
        text.append(UInt8(ascii: "{"))
        for index in 0..<count {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(string: try reader.readString(), to: &text)
            text.append(UInt8(ascii: ":"))
            try appendItem(&reader, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        reader.leave()
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func quote(_ utf8: UnsafeRawBufferPointer, into text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0x0a: text += "\\n".utf8
            case 0x0d: text += "\\r".utf8
            case 0x09: text += "\\t".utf8
            case 0..<0x20, 0x7f:
                text += "\\u00".utf8
                text.append(hexDigits[Int(byte >> 4)])
                text.append(hexDigits[Int(byte & 15)])
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
