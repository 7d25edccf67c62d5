// Fixtures: the shapes that `@Message` generates, written by hand, and their plain twins.
//
// Isolation  value

import NapkinCoding

/// The five-field message of the benchmarks, with the optional fields that a real one has.
struct Order: Codable, Equatable, Sendable {
    var id: Int64
    var name: String
    var note: String?
    var quantity: Int32
    var price: Double
    var tags: [String]
    var kind: Kind?
}

extension Order: DirectlyCodable {
    func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(5 + (self.note == nil ? 0 : 1) + (self.kind == nil ? 0 : 1))
        writer.writeKey("id")
        try writer.write(self.id)
        writer.writeKey("name")
        try writer.write(self.name)
        if let value = self.note {
            writer.writeKey("note")
            try writer.write(value)
        }
        writer.writeKey("quantity")
        try writer.write(self.quantity)
        writer.writeKey("price")
        try writer.write(self.price)
        writer.writeKey("tags")
        try writer.write(self.tags)
        if let value = self.kind {
            writer.writeKey("kind")
            try writer.write(value)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var fields = try reader.beginMap()
        var f0: Int64? = nil
        var f1: String? = nil
        var f2: String? = nil
        var f3: Int32? = nil
        var f4: Double? = nil
        var f5: [String]? = nil
        var f6: Kind? = nil
        repeat {
            if try reader.matchField("id", 0, &fields) { f0 = try reader.read(Int64.self) }
            if try reader.matchField("name", 1, &fields) { f1 = try reader.read(String.self) }
            if try reader.matchField("note", 2, &fields) { f2 = try reader.read(String?.self) }
            if try reader.matchField("quantity", 3, &fields) { f3 = try reader.read(Int32.self) }
            if try reader.matchField("price", 4, &fields) { f4 = try reader.read(Double.self) }
            if try reader.matchField("tags", 5, &fields) { f5 = try reader.read([String].self) }
            if try reader.matchField("kind", 6, &fields) { f6 = try reader.read(Kind?.self) }
        } while try reader.continueMap(&fields)
        guard let f0 else { throw reader.missingField("id", of: "Order") }
        guard let f1 else { throw reader.missingField("name", of: "Order") }
        guard let f3 else { throw reader.missingField("quantity", of: "Order") }
        guard let f4 else { throw reader.missingField("price", of: "Order") }
        guard let f5 else { throw reader.missingField("tags", of: "Order") }
        self.id = f0
        self.name = f1
        self.note = f2
        self.quantity = f3
        self.price = f4
        self.tags = f5
        self.kind = f6
    }
}

enum Kind: String, Codable, DirectlyCodable, CaseIterable {
    case small, large
}

indirect enum Move: Codable, Equatable, Sendable {
    case idle
    case turn(Int)
    case go(to: String, Double?, speed: Int)
    case twice(Move)
}

extension Move: DirectlyCodable {
    func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(1)
        switch self {
        case .idle:
            writer.writeKey("idle")
            writer.writeMapHeader(0)
        case .turn(let a0):
            writer.writeKey("turn")
            writer.writeMapHeader(1)
            writer.writeKey("_0")
            try writer.write(a0)
        case .go(let a0, let a1, let a2):
            writer.writeKey("go")
            writer.writeMapHeader(2 + (a1 == nil ? 0 : 1))
            writer.writeKey("to")
            try writer.write(a0)
            if let value = a1 {
                writer.writeKey("_1")
                try writer.write(value)
            }
            writer.writeKey("speed")
            try writer.write(a2)
        case .twice(let a0):
            writer.writeKey("twice")
            writer.writeMapHeader(1)
            writer.writeKey("_0")
            try writer.write(a0)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var cases = try reader.beginMap()
        var decoded: Move? = nil
        repeat {
            if try reader.matchCase("idle", &cases) {
                try reader.skipMap()
                decoded = .idle
            }
            if try reader.matchCase("turn", &cases) {
                var fields = try reader.beginMap()
                var f0: Int? = nil
                repeat {
                    if try reader.matchField("_0", 0, &fields) { f0 = try reader.read(Int.self) }
                } while try reader.continueMap(&fields)
                guard let f0 else { throw reader.missingField("_0", of: "Move.turn") }
                decoded = .turn(f0)
            }
            if try reader.matchCase("go", &cases) {
                var fields = try reader.beginMap()
                var f0: String? = nil
                var f1: Double? = nil
                var f2: Int? = nil
                repeat {
                    if try reader.matchField("to", 0, &fields) {
                        f0 = try reader.read(String.self)
                    }
                    if try reader.matchField("_1", 1, &fields) {
                        f1 = try reader.read(Double?.self)
                    }
                    if try reader.matchField("speed", 2, &fields) {
                        f2 = try reader.read(Int.self)
                    }
                } while try reader.continueMap(&fields)
                guard let f0 else { throw reader.missingField("to", of: "Move.go") }
                guard let f2 else { throw reader.missingField("speed", of: "Move.go") }
                decoded = .go(to: f0, f1, speed: f2)
            }
            if try reader.matchCase("twice", &cases) {
                var fields = try reader.beginMap()
                var f0: Move? = nil
                repeat {
                    if try reader.matchField("_0", 0, &fields) { f0 = try reader.read(Move.self) }
                } while try reader.continueMap(&fields)
                guard let f0 else { throw reader.missingField("_0", of: "Move.twice") }
                decoded = .twice(f0)
            }
        } while try reader.continueMap(&cases)
        guard let decoded else { throw reader.unknownCase(of: "Move") }
        self = decoded
    }
}

/// Everything nested, and only `Codable`: the Codable door all the way down.
struct PlainBox: Codable, Equatable {
    struct Inner: Codable, Equatable {
        var flag: Bool
        var ratio: Float
        var wide: UInt64
        var level: Int?
    }

    enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case pair(Inner, label: String?)
    }

    enum Color: Int, Codable {
        case red = 1
        case blue = 2
    }

    var inner: Inner
    var list: [Inner]
    var shape: Shape
    var color: Color
    var table: [String: Inner]
    var bytes: [UInt8]
    var order: Order?
    var grid: [[Int]]
}

enum Samples {
    static let orders: [Order] = [
        Order(
            id: 42, name: "abcdefghijklmnopqrstuvwx", quantity: 7, price: 12.5,
            tags: ["abcdefgh", "ijklmnop"]),
        Order(
            id: .min, name: "", note: "smoked \u{1F525} brisket, süß", quantity: .min,
            price: -.infinity, tags: [], kind: .large),
        Order(
            id: .max, name: String(repeating: "long", count: 100), note: "", quantity: .max,
            price: 0, tags: (0..<300).map { "tag \($0)" }, kind: .small),
    ]

    static let moves: [Move] = [
        .idle, .turn(-1), .go(to: "north", nil, speed: 3), .go(to: "", 0.5, speed: -70_000),
        .twice(.twice(.turn(5))),
    ]

    static let box = PlainBox(
        inner: .init(flag: true, ratio: 0.25, wide: .max, level: nil),
        list: (0..<30).map { .init(flag: $0 % 2 == 0, ratio: Float($0), wide: 0, level: $0) },
        shape: .pair(.init(flag: false, ratio: 1, wide: 1, level: 1), label: nil),
        color: .blue, table: ["only": .init(flag: false, ratio: 0, wide: 2, level: 9)],
        bytes: [0, 1, 255], order: orders[1], grid: [[1, 2], [], [3]])
}

func encode<T: DirectlyCodable>(_ value: T) throws(CBORError) -> [UInt8] {
    var writer = CBORWriter()
    try writer.write(value)
    return writer.copyBytes()
}

func encodeContainers<T: Encodable>(_ value: T) throws(CBORError) -> [UInt8] {
    var writer = CBORWriter()
    try writer.encodeContainers(value)
    return writer.copyBytes()
}

/// Runs `body` on a reader of `bytes`.
func reading<R>(
    _ bytes: [UInt8], _ limits: CBORLimits = .standard,
    _ body: (inout CBORReader) throws -> R
) throws -> R {
    try bytes.withUnsafeBytes { bytes in
        var reader = CBORReader(bytes, limits: limits)
        return try body(&reader)
    }
}

func decode<T: DirectlyCodable>(
    _ type: T.Type, _ bytes: [UInt8], _ limits: CBORLimits = .standard
) throws -> T {
    try reading(bytes, limits) { reader in
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }
}

func decodeContainers<T: Decodable>(
    _ type: T.Type, _ bytes: [UInt8], _ limits: CBORLimits = .standard
) throws -> T {
    try reading(bytes, limits) { reader in
        let value = try reader.decodeContainers(type)
        try reader.expectEnd()
        return value
    }
}

/// The code that `body` throws, nil if it throws none.
func code(_ body: () throws -> Void) -> CBORError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CBORError)?.code
    }
}

/// Bytes from hexadecimal text; blanks are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}
