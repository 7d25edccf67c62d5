// AnyItem: one CBOR item of any type, read and written through the coder's own reader and writer.

import TestSupport

@testable import NapkinCoding

/// What a reader that knows no type finds.
indirect enum AnyItem {
    case unsigned(UInt64)
    /// The argument n of -1 - n.
    case negative(UInt64)
    case float(Double)
    case short(Float)
    case bytes([UInt8])
    case text(String)
    case array([AnyItem])
    case map([(key: AnyItem, value: AnyItem)])
    case tag(UInt64, AnyItem)
    case bool(Bool)
    case simple(UInt8)

    init(from reader: inout CBORReader) throws(CBORError) {
        switch reader.peekType() {
        case .unsigned: self = .unsigned(try reader.readInteger(UInt64.self))
        case .negative: self = .negative(try reader.readNegative())
        case .bytes: self = .bytes(try reader.readBytes())
        case .text: self = .text(try reader.readString())
        case .array: self = .array(try Self.elements(&reader))
        case .map: self = .map(try Self.pairs(&reader))
        case .tag:
            let number = try reader.readTag()
            try reader.enter()
            self = .tag(number, try AnyItem(from: &reader))
            reader.leave()
        case .bool: self = .bool(try reader.readBool())
        case .float:
            let start = reader.offset
            let value = try reader.readDouble()
            self = reader.offset - start == 5 ? .short(Float(value)) : .float(value)
        case .null, .undefined, .simple: self = .simple(try reader.readSimple())
        case nil: throw reader.truncated()
        }
    }

    private static func elements(_ reader: inout CBORReader) throws(CBORError) -> [AnyItem] {
        let count = try reader.enteredArray()
        var elements: [AnyItem] = []
        for _ in 0..<count { elements.append(try AnyItem(from: &reader)) }
        reader.leave()
        return elements
    }

    private static func pairs(
        _ reader: inout CBORReader
    ) throws(CBORError) -> [(key: AnyItem, value: AnyItem)] {
        try reader.enter()
        let count = try reader.readMapHeader()
        var pairs: [(key: AnyItem, value: AnyItem)] = []
        for _ in 0..<count {
            let key = try AnyItem(from: &reader)
            pairs.append((key, try AnyItem(from: &reader)))
        }
        reader.leave()
        return pairs
    }

    /// Reads bytes that are one item, as a whole.
    static func read(_ bytes: [UInt8]) throws -> AnyItem {
        try reading(bytes) { reader in
            let item = try AnyItem(from: &reader)
            try reader.expectEnd()
            return item
        }
    }

    /// The bytes that the writer makes of it; `nil` for what it has no way to write.
    var written: [UInt8]? {
        var writer = CBORWriter()
        return write(into: &writer) ? writer.copyBytes() : nil
    }

    private func write(into writer: inout CBORWriter) -> Bool {
        switch self {
        case .unsigned(let value): writer.writeUInt(value)
        case .negative(let argument):
            guard let argument = Int64(exactly: argument) else { return false }
            writer.writeInt(~argument)
        case .float(let value): writer.writeDouble(value)
        case .short(let value): writer.writeFloat(value)
        case .bytes(let bytes): writer.writeBytes(bytes)
        case .text(let text): writer.writeString(text)
        case .array(let elements):
            writer.writeArrayHeader(elements.count)
            return elements.allSatisfy { $0.write(into: &writer) }
        case .map(let pairs):
            writer.writeMapHeader(pairs.count)
            return pairs.allSatisfy { key, value in
                guard case .text = key else { return false }
                return key.write(into: &writer) && value.write(into: &writer)
            }
        case .bool(let value): writer.writeBool(value)
        case .simple(22): writer.writeNull()
        case .simple, .tag: return false
        }
        return true
    }

    /// The item as the vectors have it; README.md there has the table.
    var data: JSONValue {
        switch self {
        case .unsigned(let value):
            value < 1 << 53
                ? .integer(Int64(value)) : .object(["integer": .text(String(value))])
        case .negative(let argument):
            argument < 1 << 53 - 1
                ? .integer(~Int64(argument))
                : .object([
                    "integer": .text(
                        argument == .max ? "-18446744073709551616" : "-\(argument + 1)")
                ])
        case .float(let value): .object(["float": .text(Self.text(of: value))])
        case .short(let value): .object(["float": .text(Self.text(of: Double(value)))])
        case .bytes(let bytes):
            .object([
                "bytes": .text(
                    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            ])
        case .text(let text): .text(text)
        case .array(let elements): .array(elements.map(\.data))
        case .map(let pairs):
            .object(["map": .array(pairs.map { .array([$0.key.data, $0.value.data]) })])
        case .tag(let number, let item):
            .object(["tag": .integer(Int64(number)), "of": item.data])
        case .bool(let value): .bool(value)
        case .simple(22): .null
        case .simple(let number): .object(["simple": .integer(Int64(number))])
        }
    }

    private static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }
}
