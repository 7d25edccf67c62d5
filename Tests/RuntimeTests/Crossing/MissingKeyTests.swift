// MissingKeyTests: what a message has for a key that an older peer does not send.

import NapkinCore
import Testing

/// Knows only that the type is `Decodable`, as the runtime does of a feature's arguments.
private func read<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try Payload(try JSONToCBOR.transcode(Array(json.utf8))).decode(type)
}

private func readDirectly<T: DirectlyCodable>(_ type: T.Type, _ json: String) throws -> T {
    try Payload(try JSONToCBOR.transcode(Array(json.utf8))).decode(type)
}

private func refusal<T: DirectlyCodable>(_ type: T.Type, _ json: String) -> CBORError.Code? {
    do {
        _ = try readDirectly(type, json)
        return nil
    } catch {
        return (error as? CBORError)?.code
    }
}

/// Has another value each time it is asked for one.
private enum Ticket {
    @TaskLocal static var drawn: [Int] = []
    static func draw() -> Int { drawn.count }
}

@Message
private struct Guest: Equatable {
    var name: String
    var ticket: Int = Ticket.draw()
}

/// As the messages of the protocol are.
@Message
private struct Strict: MandatoryFields {
    var rank: Int = 3
}

@Suite("A key that is missing")
struct MissingKeyTests {
    /// The fields that have a default, each with another value and how to set it.
    private static let given: [(json: String, set: @Sendable (inout Late) -> Void)] = [
        (#""isPinned": true"#, { $0.isPinned = true }), (#""rank": 9"#, { $0.rank = 9 }),
        (#""ratio": 0.5"#, { $0.ratio = 0.5 }), (#""tags": []"#, { $0.tags = [] }),
        (#""kind": "hot""#, { $0.kind = .hot }),
    ]

    @Test func `any of the fields with a default may be missing, in any order`() throws {
        for choice in 0..<(1 << Self.given.count) {
            var expected = Late(title: "t", note: nil)
            var parts = [#""title": "t""#]
            for (index, field) in Self.given.enumerated() where choice & 1 << index != 0 {
                parts.append(field.json)
                field.set(&expected)
            }
            for parts in [parts, parts.reversed(), parts + [#""unheard": {}"#]] {
                let json = "{\(parts.joined(separator: ", "))}"
                #expect(try readDirectly(Late.self, json) == expected, "\(json)")
                #expect(try read(Late.self, json) == expected, "\(json)")
            }
        }
    }

    @Test func `an optional is nil, whatever its initial value`() throws {
        #expect(Late(title: "t").note == "none")
        #expect(try readDirectly(Late.self, #"{"title": "t"}"#).note == nil)
    }

    @Test func `the initial value is evaluated for each missing key, and for no other`() throws {
        let missing = #"{"name": "n"}"#
        let guests = try Ticket.$drawn.withValue([1, 2, 3]) {
            try [missing, #"{"ticket": 8, "name": "n"}"#].map { try readDirectly(Guest.self, $0) }
        }
        #expect(guests.map(\.ticket) == [3, 8])
        #expect(try readDirectly(Guest.self, missing).ticket == 0)
    }

    @Test func `a field without a default must be there, and one with it must be right`() {
        #expect(refusal(Late.self, #"{"rank": 1}"#) == .missingField)
        #expect(refusal(Late.self, #"{"title": "t", "rank": null}"#) == .typeMismatch)
        #expect(refusal(Strict.self, "{}") == .missingField)
        #expect(refusal(Strict.self, #"{"rank": 1}"#) == nil)
    }

    @Test func `a struct with more fields than are read directly is no exception`() throws {
        let json = #"{"h4": 4, "h3": 3, "h2": 2, "h1": 1, "h0": 0, "a0": 9}"#
        let wide = Wide(a0: 9, h0: 0, h1: 1, h2: 2, h3: 3, h4: 4)
        #expect(wide.last == 7)
        #expect(try readDirectly(Wide.self, json) == wide)
        #expect(try read(Wide.self, json) == wide)
        let given = try readDirectly(Wide.self, #"{"last": 8, \#(json.dropFirst())"#)
        #expect(given.last == 8)
        #expect(refusal(Wide.self, #"{"last": 1}"#) == .missingField)
        #expect(refusal(Wide.self, #"{"last": null, \#(json.dropFirst())"#) != nil)
    }

    @Test func `a value of a case is no exception`() throws {
        for json in [#"{"wait": {}}"#, #"{"wait": {"unheard": 1}}"#, #"{"_": 1, "wait": {}}"#] {
            #expect(try readDirectly(WithDefault.self, json) == .wait(seconds: 3, reason: nil))
            #expect(try read(WithDefault.self, json) == .wait(seconds: 3, reason: nil))
        }
        #expect(
            try readDirectly(WithDefault.self, #"{"wait": {"seconds": 1}}"#)
                == .wait(seconds: 1, reason: nil))
    }
}
