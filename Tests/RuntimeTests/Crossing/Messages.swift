// Messages: one type for each shape that `@Message` takes.

public import NapkinCore

@Message
public struct Order: Hashable {
    public let id: Int64
    public var name: String
    public var quantity, rank: Int32
    public var price: Double = 1
    public var note: String?
    public var tags: [String]
    public var kind: Kind
    public var parent: [Order]? = nil
    public static let limit = 3
    public var total: Double { price * Double(quantity) }
    public var seen: Bool = false { didSet { _ = seen } }

    public init(id: Int64, name: String, note: String? = nil, tags: [String] = []) {
        (self.id, self.name, self.note, self.tags) = (id, name, note, tags)
        (quantity, rank, kind) = (2, 3, .hot)
    }
}

@Message
public enum Kind: String, CaseIterable {
    case hot
    case cold = "very cold"
}

@Message
enum Level: Int, Codable, Sendable {
    case low = -1
    case high = 1
}

@Message
public indirect enum Move: Hashable {
    case idle, none
    case turn(Int)
    case go(to: String, Double?, speed: Int)
    case `default`(in: Order)
    case both(Move, Move)
    case unnamed(_ value: Int, _ other: String?)
}

/// Keys of its own, in another order, one property not coded.
@Message
package struct Rekeyed: Codable, Equatable, Sendable {
    package var first: Int
    package var second: String?
    package var cache: Int = 7
    package var `third`: [Int]

    enum CodingKeys: String, CodingKey {
        case third = "3rd"
        case first
        case second = "a \"quoted\" key"
    }
}

/// A constant is written and not read, a lazy property neither.
@Message
struct Constants: Equatable {
    let version: Int = 2
    let tag = "x"
    var id: Int
    lazy var cache: Int = id

    enum CodingKeys: CodingKey { case version, tag, id }

    init(id: Int) { self.id = id }

    static func == (left: Constants, right: Constants) -> Bool { left.id == right.id }
}

/// What becomes of a lazy property without keys of its own.
@Message
struct Lazy: Equatable {
    var id: Int
    lazy var cache: Int = id

    init(id: Int) { self.id = id }

    static func == (left: Lazy, right: Lazy) -> Bool { left.id == right.id }
}

@Message
enum RenamedCases: Equatable {
    case short(Int)
    case long

    enum CodingKeys: String, CodingKey {
        case short = "s"
        case long
    }
}

@Message
struct Empty: Equatable {}

@Message
struct Identifier: RawRepresentable, Hashable {
    var rawValue: String
}

@Message
private struct Hidden: Equatable {
    var reader: Int
    var writer: Int
    var fields: Int
    var value: Int?
    var f0: Int
    var `self`: String
    var item: Inner

    @Message
    struct Inner: Equatable {
        var kind: Kind
        var mixed: Plain
    }
}

extension Hidden {
    static let example = Hidden(
        reader: 1, writer: 2, fields: 3, value: nil, f0: 5, self: "s",
        item: Inner(kind: .cold, mixed: Plain(id: 1, note: "n")))
}

/// One field more than the direct door can tell apart.
@Message
struct Wide: Equatable {
    var a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9: Int?
    var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9: Int?
    var e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9: Int?
    var h0, h1, h2, h3, h4: Int
    var last: Int = 7
}

/// Fields that an older peer does not send.
@Message
struct Late: Equatable {
    static let first = 4
    var title: String
    var isPinned = false
    var rank: Int = Self.first, ratio = -1.5
    var tags: [String] = ["new"]
    var kind: Kind = .cold
    var note: String? = "none"
}

@Message
enum WithDefault: Equatable {
    case wait(seconds: Int = 3, reason: String? = "none")
}

/// Gives tests a value of the file's own type.
func checkHidden(_ check: (any (Codable & DirectlyCodable & Equatable)) throws -> Void) rethrows {
    try check(Hidden.example)
}
