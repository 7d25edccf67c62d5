// MessageTests: the direct door and the `Codable` door give the same bytes.

import CrossingContractsOnMain
import NapkinCore
import Testing

private func direct(_ value: some DirectlyCodable) throws -> [UInt8] {
    var writer = CBORWriter()
    try value.encode(into: &writer)
    return writer.copyBytes()
}

private func containers(_ value: some Encodable) throws -> [UInt8] {
    var writer = CBORWriter()
    try writer.encodeContainers(value)
    return writer.copyBytes()
}

/// Both doors out, then both doors in.
private func check<T: Codable & DirectlyCodable & Equatable>(_ value: T) throws {
    let bytes = try direct(value)
    #expect(try bytes == containers(value), "\(value)")
    try bytes.withUnsafeBytes { buffer in
        var reader = CBORReader(buffer)
        #expect(try T(from: &reader) == value)
        try reader.expectEnd()
        var other = CBORReader(buffer)
        #expect(try other.decodeContainers(T.self) == value)
    }
}

private func decodeDirectly<T: DirectlyCodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
    try bytes.withUnsafeBytes { buffer in
        var reader = CBORReader(buffer)
        return try T(from: &reader)
    }
}

@Suite("What @Message generates writes the bytes of synthesized Codable")
struct MessageTests {
    @Test func `a struct with and without its optionals`() throws {
        try check(Order(id: 1, name: "ribs"))
        var order = Order(id: .min, name: "é", note: "n", tags: ["a", "b"])
        order.parent = [order]
        try check(order)
    }

    @Test func `an enum with a raw value`() throws {
        for kind in Kind.allCases { try check(kind) }
        try check(Level.low)
        #expect(try direct(Kind.cold) == containers("very cold"))
    }

    @Test func `an enum with payloads, one of them called none`() throws {
        try check(Move.idle)
        try check(Move.none)
        try check(Move.turn(3))
        try check(Move.go(to: "x", nil, speed: 2))
        try check(Move.go(to: "x", 0.5, speed: 2))
        try check(Move.default(in: Order(id: 1, name: "n")))
        try check(Move.both(.idle, .both(.turn(1), .none)))
        try check(Move.unnamed(1, nil))
        try check(Move.unnamed(1, "x"))
    }

    @Test func `keys that the type chose for itself, in their order`() throws {
        try check(Rekeyed(first: 1, second: "2", third: [3]))
        try check(Rekeyed(first: 1, second: nil, third: []))
        try check(RenamedCases.short(1))
        try check(RenamedCases.long)
        let decoded = try decodeDirectly(
            Rekeyed.self, direct(Rekeyed(first: 1, cache: 99, third: [])))
        #expect(decoded.cache == 7)
    }

    @Test func `nothing, a raw value, names that generated code uses, many fields`() throws {
        try check(Empty())
        try check(Identifier(rawValue: "id"))
        try checkHidden { try check($0) }
        try check(Wide(a0: 1, h0: 1, h1: 2, h2: 3, h3: 4, h4: 5))
        try check(Late(title: "t"))
        try check(WithDefault.wait(seconds: 1, reason: "r"))
    }

    @Test func `a constant is written and not read, a lazy property neither`() throws {
        try check(Constants(id: 1))
        try check(Lazy(id: 1))
    }

    @Test func `types of a module on the main actor`() throws {
        try check(Banner(title: "t"))
        try check(Banner(title: "t", note: "n", style: .bold))
        try check(Choice.first)
        try check(Choice.other(Banner(title: "t"), index: nil))
    }

    @Test func `a field that is missing is named`() throws {
        let error = #expect(throws: CBORError.self) {
            try decodeDirectly(Order.self, direct(Empty()))
        }
        #expect(error?.code == .missingField)
        #expect(error?.detail.contains("\"id\"") == true, "\(error?.detail ?? "")")
    }

    @Test func `an unknown case is refused and an unknown field is not`() throws {
        var writer = CBORWriter()
        writer.writeMapHeader(1)
        writer.writeKey("fly")
        writer.writeMapHeader(0)
        let error = #expect(throws: CBORError.self) {
            try decodeDirectly(Move.self, writer.copyBytes())
        }
        #expect(error?.code == .unknownCase)
        let wide = Wide(a0: 1, h0: 1, h1: 2, h2: 3, h3: 4, h4: 5)
        #expect(try decodeDirectly(Empty.self, direct(wide)) == Empty())
    }
}
