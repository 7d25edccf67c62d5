// MessageVectorTests: the golden vectors of payloads, kind by kind.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

struct MessageVectorTests {
    private static let kinds = Dictionary(
        uniqueKeysWithValues: FrameKind.allCases.map { ("\($0)", $0) })

    @Test(arguments: Vector.all(.messages)) func `messages`(_ vector: Vector) throws {
        let name = try #require(vector["kind"]?.text)
        let kind = try #require(Self.kinds[name], "there is no kind \(name)")
        let bytes = try vector.bytes
        var found: JSONValue?
        var error: String?
        do {
            found = try MessageMeaning.of(kind, to: vector["to"]?.text, bytes)
        } catch let failure as CBORError {
            error = "\(failure.code)"
        } catch let refusal as Refusal {
            error = refusal.code.rawValue
        }
        #expect(error == vector.error)
        #expect(found == vector.means.map(Self.withoutNotation))
    }

    /// The arguments of methods are given as data of any item; these are all plain.
    private static func withoutNotation(_ value: JSONValue) -> JSONValue {
        guard let items = value.object?["items"]?.array else { return value }
        return .object(["items": .array(items.map(plain))])
    }

    private static func plain(_ value: JSONValue) -> JSONValue {
        guard let pairs = value.object?["map"]?.array else { return value }
        let fields = pairs.compactMap { pair -> (String, JSONValue)? in
            guard let parts = pair.array, let key = parts[0].text else { return nil }
            return (key, plain(parts[1]))
        }
        return .object(Dictionary(fields, uniquingKeysWith: { first, _ in first }))
    }

    @Test func `every kind of a message has good vectors`() {
        let groups: [VectorGroup] = [.messages, .faults, .schemas]
        let named = groups.flatMap { Vector.all($0) }.filter { $0.means != nil }
            .compactMap { $0["kind"]?.text }
        // Deltas have a group of their own.
        #expect(Set(named) == Set(Self.kinds.keys).subtracting(["stateDelta"]))
    }
}
