// Datum: a value of an unknown type, decoded for people.
//
// Invariant  a value survives reading and writing unchanged; numbers keep their size.
// Spec       Protocol/SPEC.md, section 6 (Messages)

internal import NapkinCoding
internal import NapkinCore

nonisolated indirect enum Datum: Hashable {
    struct Entry: Hashable {
        let key: String
        let value: Datum
    }

    case null
    case bool(Bool)
    case unsigned(UInt64)
    case signed(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case array([Datum])
    case map([Entry])

    /// Decodes a payload; an empty one is `null`.
    init(_ payload: Payload) throws(CBORError) {
        guard !payload.bytes.isEmpty else {
            self = .null
            return
        }
        let result = payload.bytes.withUnsafeBytes { bytes -> Result<Datum, CBORError> in
            Result { () throws(CBORError) in
                var reader = CBORReader(bytes)
                let datum = try Datum(&reader)
                try reader.expectEnd()
                return datum
            }
        }
        self = try result.get()
    }

    /// The reader's depth limit bounds the recursion.
    private init(_ reader: inout CBORReader) throws(CBORError) {
        switch reader.peekType() {
        case .unsigned: self = .unsigned(try reader.readInteger(UInt64.self))
        case .negative: self = .signed(try reader.readInteger(Int64.self))
        case .bytes: self = .bytes(try reader.readBytes())
        case .text: self = .text(try reader.readString())
        case .bool: self = .bool(try reader.readBool())
        case .float: self = .double(try reader.readDouble())
        case .array:
            try reader.enter()
            var items: [Datum] = []
            for _ in 0..<(try reader.readArrayHeader()) { items.append(try Datum(&reader)) }
            reader.leave()
            self = .array(items)
        case .map:
            try reader.enter()
            var entries: [Entry] = []
            for _ in 0..<(try reader.readMapHeader()) {
                let key = try Self.key(&reader)
                entries.append(Entry(key: key, value: try Datum(&reader)))
            }
            reader.leave()
            self = .map(entries)
        case .null, .undefined, .simple, .tag, nil:
            // Reading a string here throws the error for a tag or for the end.
            if reader.peekType() == .tag || reader.peekType() == nil { _ = try reader.readString() }
            try reader.skip()
            self = .null
        }
    }

    private static func key(_ reader: inout CBORReader) throws(CBORError) -> String {
        switch reader.peekType() {
        case .unsigned: "\(try reader.readInteger(UInt64.self))"
        case .negative: "\(try reader.readInteger(Int64.self))"
        default: try reader.readString()
        }
    }

    func write(into writer: inout CBORWriter) {
        switch self {
        case .null: writer.writeNull()
        case .bool(let value): writer.writeBool(value)
        case .unsigned(let value): writer.writeUInt(value)
        case .signed(let value): writer.writeInt(value)
        case .double(let value): writer.writeDouble(value)
        case .text(let value): writer.writeString(value)
        case .bytes(let value): writer.writeBytes(value)
        case .array(let items):
            writer.writeArrayHeader(items.count)
            for item in items { item.write(into: &writer) }
        case .map(let entries):
            writer.writeMapHeader(entries.count)
            for entry in entries {
                writer.writeString(entry.key)
                entry.value.write(into: &writer)
            }
        }
    }

    /// The value encoded as a message.
    var payload: Payload {
        var writer = CBORWriter()
        write(into: &writer)
        return Payload(writer.copyBytes())
    }

    /// The value as one line of JSON.
    var text: String { PayloadText.text(of: payload) }

    /// Returns up to `count` contained values with their keys or indices; none for a scalar.
    func parts(atMost count: Int = .max) -> [Entry] {
        switch self {
        case .array(let items):
            items.prefix(count).enumerated().map { Entry(key: "\($0)", value: $1) }
        case .map(let entries): Array(entries.prefix(count))
        default: []
        }
    }

    /// The number of contained values.
    var partCount: Int {
        switch self {
        case .array(let items): items.count
        case .map(let entries): entries.count
        default: 0
        }
    }

    /// Returns whether a part is a struct in a list, which is shown on one line.
    func isStruct(_ part: Datum) -> Bool {
        if case .array = self, case .map(let fields) = part { !fields.isEmpty } else { false }
    }

    /// Returns how many of the lines are left if everything except structs in lists is unfolded;
    /// stops reading and returns a negative number if there are too few lines.
    func left(of lines: Int) -> Int {
        parts(atMost: max(0, lines)).reduce(lines - 1) {
            $0 < 0 ? $0 : isStruct($1.value) ? $0 - 1 : $1.value.left(of: $0)
        }
    }
}

/// Formats payloads as JSON text for people.
nonisolated enum PayloadText {
    /// The most bytes of a text on one line. Chosen: wider than a screen.
    static let shownMax = 1024

    /// Returns the text, or its beginning and its length.
    static func shown(of payload: Payload) -> String {
        let text = text(of: payload)
        guard text.utf8.count > shownMax else { return text }
        return String(decoding: text.utf8.prefix(shownMax), as: UTF8.self)
            + "… \(text.utf8.count) bytes"
    }

    static func text(of payload: Payload) -> String {
        guard !payload.bytes.isEmpty else { return "null" }
        do {
            return String(decoding: try CBORToJSON.transcode(payload.bytes), as: UTF8.self)
        } catch {
            return "unreadable: \(error)"
        }
    }
}
