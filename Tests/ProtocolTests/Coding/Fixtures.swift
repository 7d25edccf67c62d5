// Fixtures: messages of each shape, and values that are only Codable.

import NapkinCoding

/// The five-field message of the benchmarks, with the optional fields that a real one has.
@Message
struct Order: Equatable {
    var id: Int64
    var name: String
    var note: String?
    var quantity: Int32
    var price: Double
    var tags: [String]
    var kind: Kind?
}

enum Kind: String, Codable, DirectlyCodable, CaseIterable {
    case small, large
}

@Message
indirect enum Move: Equatable {
    case idle
    case turn(Int)
    case go(to: String, Double?, speed: Int)
    case twice(Move)
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
