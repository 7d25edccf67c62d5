// FieldOrderTests: a map's keys come in any order, and each way of reading them finds the same.
//
//
// What `@Message` generates reads a map in the order of declaration, and from the first key on
// that is another one in any order. No key with a head longer than needed is read in order: a map
// with such heads is read in any order from its first key on.

import NapkinCoding
import TestSupport
import Testing

/// Keys of each length that is compared in its own way, numbers of each width.
@Message
private struct Trip: Equatable {
    var a: UInt64
    var no: Int8
    var via: String?
    var stop: [String]
    var change: Float
    var minutes: UInt16?
    var stations: [String: Int]
    var departsAt: Bool
    var conductorsAndDrivers: [Move]
    var aNameThatTakesMoreThanTwentyThreeBytes: String?
    let version = 2
    var order: Order?
    var last: Duration

    enum CodingKeys: String, CodingKey {
        case a, no, via, stop, change, minutes, stations, departsAt, conductorsAndDrivers
        case aNameThatTakesMoreThanTwentyThreeBytes, version, order, last
    }
}

@Suite struct FieldOrderTests {
    private let trip = Trip(
        a: .max, no: -3, via: "Süd", stop: ["north", "a stop of more than fifteen"], change: 0.5,
        minutes: nil, stations: ["one": 1], departsAt: true,
        conductorsAndDrivers: [.idle, .go(to: "there", nil, speed: 300), .twice(.turn(1))],
        aNameThatTakesMoreThanTwentyThreeBytes: "long", order: Samples.orders[0],
        last: .seconds(90))

    private typealias Pair = (key: AnyItem, value: AnyItem)
    private typealias Pairs = [Pair]

    private func pairs(of value: some DirectlyCodable) throws -> Pairs {
        guard case .map(let pairs) = try AnyItem.read(encode(value)) else { return [] }
        return pairs
    }

    /// What comes of a map, which must be the same whichever way it is read.
    private func outcome<T: DirectlyCodable & Equatable>(
        _ type: T.Type, _ item: AnyItem, location: SourceLocation = #_sourceLocation
    ) -> Outcome<T> {
        let outcomes = [false, true].map { isLong in
            do {
                return Outcome.value(try decode(type, item.bytes(withLongKeys: isLong)))
            } catch {
                let error = error as? CBORError
                return Outcome<T>.failed(error?.code, error?.detail)
            }
        }
        #expect(outcomes[0] == outcomes[1], sourceLocation: location)
        return outcomes[0]
    }

    private enum Outcome<T: Equatable>: Equatable {
        case value(T)
        case failed(CBORError.Code?, String?)

        var code: CBORError.Code? {
            if case .failed(let code, _) = self { code } else { nil }
        }
    }

    @Test func `keys come in any order`() throws {
        let pairs = try pairs(of: trip)
        #expect(outcome(Trip.self, .map(pairs)) == .value(trip))
        #expect(outcome(Trip.self, .map(pairs.reversed())) == .value(trip))
        for place in pairs.indices {
            let turned = Pairs(pairs[place...] + pairs[..<place])
            #expect(outcome(Trip.self, .map(turned)) == .value(trip))
            for other in pairs.indices {
                var swapped = pairs
                swapped.swapAt(place, other)
                #expect(outcome(Trip.self, .map(swapped)) == .value(trip))
            }
        }
    }

    @Test func `an unknown key is skipped wherever it stands, and found if it comes twice`() throws
    {
        let pairs = try pairs(of: trip)
        let values: [AnyItem] = [
            .simple(22), .text("a"),
            .map([(.text("a"), .unsigned(1)), (.text("no"), .bool(true))]),
            .array([.array([]), .float(1)]),
        ]
        for place in 0...pairs.count {
            for key in [
                "", "b", "nO", "vib", "stations2", "aNameThatTakesMoreThanTwentyThreeBytez",
            ] {
                for value in values {
                    var more = pairs
                    more.insert((.text(key), value), at: place)
                    #expect(outcome(Trip.self, .map(more)) == .value(trip))
                    more.insert((.text(key), value), at: more.count / 2)
                    #expect(outcome(Trip.self, .map(more)).code == .duplicateKey)
                }
            }
        }
    }

    @Test func `a key that comes twice is refused wherever it stands`() throws {
        let pairs = try pairs(of: trip)
        for place in pairs.indices {
            for other in 0...pairs.count {
                var more = pairs
                more.insert(pairs[place], at: other)
                #expect(outcome(Trip.self, .map(more)).code == .duplicateKey)
            }
        }
    }

    @Test func `a field that is missing is refused, or nil`() throws {
        let pairs = try pairs(of: trip)
        let optional = ["via", "aNameThatTakesMoreThanTwentyThreeBytes", "order", "version"]
        for place in pairs.indices {
            var fewer = pairs
            guard case .text(let key) = fewer.remove(at: place).key else { continue }
            let found = outcome(Trip.self, .map(fewer))
            #expect(found.code == (optional.contains(key) ? nil : .missingField))
            // As many pairs as before: an unknown one in the place of the field.
            fewer.insert((.text("other"), .simple(22)), at: place)
            #expect(outcome(Trip.self, .map(fewer)) == found)
        }
        #expect(outcome(Trip.self, .map([])).code == .missingField)
    }

    @Test func `a map that names two cases, or none, is refused`() throws {
        let idle: Pair = (.text("idle"), .map([]))
        let turn: Pair = (.text("turn"), .map([(.text("_0"), .unsigned(1))]))
        let other: Pair = (.text("other"), .simple(22))
        #expect(outcome(Move.self, .map([turn])) == .value(.turn(1)))
        #expect(outcome(Move.self, .map([other, turn])) == .value(.turn(1)))
        #expect(outcome(Move.self, .map([turn, other])) == .value(.turn(1)))
        for refused: Pairs in [[], [other], [idle, turn], [idle, other, idle], [turn, turn]] {
            #expect(outcome(Move.self, .map(refused)).code == .unknownCase)
        }
        #expect(outcome(Move.self, .map([other, turn, other])).code == .duplicateKey)
    }

    @Test func `in order and in any order, random maps are read alike`() throws {
        var numbers = Randomness(seed: 230)
        let trip = try AnyItem.map(pairs(of: trip))
        let orders = try Samples.orders.prefix(2).map { try AnyItem.map(pairs(of: $0)) }
        let moves = try Samples.moves.map { try AnyItem.map(pairs(of: $0)) }
        var values = 0
        for round in 0..<4000 {
            let rate = [4, 20, 100][round % 3]
            var (trip, order, move) = (
                trip, orders[round % orders.count], moves[round % moves.count]
            )
            trip.change(&numbers, oneIn: rate)
            order.change(&numbers, oneIn: rate)
            move.change(&numbers, oneIn: rate)
            if outcome(Trip.self, trip).code == nil { values += 1 }
            if outcome(Order.self, order).code == nil { values += 1 }
            if outcome(Move.self, move).code == nil { values += 1 }
        }
        // Neither all of them nor none.
        #expect((2000...10_000).contains(values))
    }

    @Test func `each length of text is the string that it would be elsewhere`() throws {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        for length in 0...letters.utf8.count {
            for last in ["", "\u{7f}", "ü", "€", "🔥"] {
                let text = String(letters.prefix(length)) + last
                for before in 0...9 {
                    let list = Array(repeating: "", count: before) + [text]
                    let read = try decode([String].self, encode(list))
                    #expect(read == list)
                    #expect(read.last?.utf8.elementsEqual(text.utf8) == true)
                    #expect(read.last?.hashValue == text.hashValue)
                    #expect(read.last.map { $0 + "." } == text + ".")
                }
            }
        }
    }
}

extension AnyItem {
    /// The item's bytes; with heads longer than needed for all keys, if it is so asked.
    fileprivate func bytes(withLongKeys isLong: Bool) -> [UInt8] {
        switch self {
        case .array(let elements):
            return Self.head(0x80, elements.count)
                + elements.flatMap { $0.bytes(withLongKeys: isLong) }
        case .map(let pairs):
            return Self.head(0xa0, pairs.count)
                + pairs.flatMap { key, value in
                    Self.key(key, isLong) + value.bytes(withLongKeys: isLong)
                }
        default:
            return written ?? [0xf6]
        }
    }

    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        count < 24 ? [major | UInt8(count)] : [major | 25, UInt8(count >> 8), UInt8(count & 255)]
    }

    private static func key(_ key: AnyItem, _ isLong: Bool) -> [UInt8] {
        guard isLong, case .text(let text) = key else { return key.written ?? [0xf6] }
        return [0x79, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    /// Changes maps and values, one in `rate`.
    fileprivate mutating func change(_ numbers: inout Randomness, oneIn rate: Int) {
        let isHit = { (numbers: inout Randomness) in
            Int.random(in: 0..<rate, using: &numbers) == 0
        }
        switch self {
        case .array(var elements):
            for index in elements.indices { elements[index].change(&numbers, oneIn: rate) }
            self = .array(elements)
        case .map(var pairs):
            for index in pairs.indices { pairs[index].value.change(&numbers, oneIn: rate) }
            if isHit(&numbers) { pairs.shuffle(using: &numbers) }
            if isHit(&numbers), !pairs.isEmpty {
                pairs.remove(at: Int.random(in: pairs.indices, using: &numbers))
            }
            if isHit(&numbers), let pair = pairs.randomElement(using: &numbers) {
                pairs.insert(pair, at: Int.random(in: 0...pairs.count, using: &numbers))
            }
            for key in ["", "another"] where isHit(&numbers) {
                let place = Int.random(in: 0...pairs.count, using: &numbers)
                pairs.insert((.text(key), .array([.bool(true), .simple(22)])), at: place)
            }
            self = .map(pairs)
        default:
            let others: [AnyItem] = [
                .simple(22), .unsigned(7), .negative(300), .float(24), .text("short"), .bytes([1]),
                .map([]), .array([]), .bool(false),
            ]
            if isHit(&numbers), let other = others.randomElement(using: &numbers) { self = other }
        }
    }
}
