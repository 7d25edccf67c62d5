// CBORDiagnostic: encoded bytes as readable text, for dumps and test failures.
//
// Spec       RFC 8949, section 8 (diagnostic notation)

package enum CBORDiagnostic {
    /// Describes a sequence of items, separated by commas. Never fails: an item that cannot be read
    /// ends the text with `<error at byte N: why>`.
    package static func describe(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { describe($0) }
    }

    package static func describe(
        _ bytes: UnsafeRawBufferPointer, limits: CBORLimits = .standard
    ) -> String {
        var reader = CBORReader(bytes, limits: limits)
        var text = ""
        do {
            while !reader.isAtEnd {
                if !text.isEmpty { text += ", " }
                try append(&reader, to: &text)
            }
        } catch {
            text += "<error at byte \(error.offset): \(error.code), \(error.detail)>"
        }
        return text
    }

    /// The reader's depth limit bounds the recursion.
    private static func append(
        _ reader: inout CBORReader, to text: inout String
    ) throws(CBORError) {
        switch reader.peekType() {
        case .unsigned: text += String(try reader.readInteger(UInt64.self))
        case .negative: text += negative(try reader.readNegative())
        case .bytes:
            text += "h'"
            for byte in try reader.readByteSpan() { text += hex(UInt64(byte), digits: 2) }
            text += "'"
        case .text: quote(try reader.readString(), into: &text)
        case .array: try list(&reader, "[", "]", try reader.enteredArray(), to: &text)
        case .map: try pairs(&reader, to: &text)
        case .tag:
            text += "\(try reader.readTag())("
            try reader.enter()
            try append(&reader, to: &text)
            reader.leave()
            text += ")"
        case .bool: text += try reader.readBool() ? "true" : "false"
        case .float: text += float(try reader.readDouble())
        case .null, .undefined, .simple, nil: text += simple(try reader.readSimple())
        }
    }

    private static func list(
        _ reader: inout CBORReader, _ open: String, _ close: String, _ count: Int,
        to text: inout String
    ) throws(CBORError) {
        text += open
        for index in 0..<count {
            if index > 0 { text += ", " }
            try append(&reader, to: &text)
        }
        text += close
        reader.leave()
    }

    private static func pairs(_ reader: inout CBORReader, to text: inout String) throws(CBORError) {
        try reader.enter()
        let count = try reader.readMapHeader()
        text += "{"
        for index in 0..<count {
            if index > 0 { text += ", " }
            try append(&reader, to: &text)
            text += ": "
            try append(&reader, to: &text)
        }
        text += "}"
        reader.leave()
    }

    /// Returns -1 - argument, which may be below Int64.min.
    private static func negative(_ argument: UInt64) -> String {
        argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
    }

    private static func float(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }

    private static func simple(_ value: UInt8) -> String {
        switch value {
        case 22: "null"
        case 23: "undefined"
        default: "simple(\(value))"
        }
    }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        let plain = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - plain.count)) + plain
    }

    private static func quote(_ value: String, into text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ", "\u{7f}": text += "\\u" + hex(UInt64(scalar.value), digits: 4)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
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
