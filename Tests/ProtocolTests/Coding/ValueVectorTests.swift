// ValueVectorTests: the golden vectors of Swift-shaped values, through both doors of the coder.

import NapkinCoding
import TestSupport
import Testing

struct ValueVectorTests {
    /// What came of one vector.
    private struct Found: Equatable {
        var error: String?
        var encoded: [UInt8]?
        var json: JSONValue?
    }

    private typealias Door = ([UInt8]) -> Found

    private static func throughContainers<T: Codable>(_ type: T.Type) -> Door {
        { bytes in
            found { try encodeContainers(try decodeContainers(type, bytes)) }
        }
    }

    private static func directly<T: DirectlyCodable>(_ type: T.Type) -> Door {
        { bytes in found { try encode(try decode(type, bytes)) } }
    }

    private static func found(_ encoded: () throws -> [UInt8]) -> Found {
        do {
            let bytes = try encoded()
            return Found(
                encoded: bytes, json: try JSONValue(parsing: try CBORToJSON.transcode(bytes)))
        } catch let error as CBORError {
            return Found(error: "\(error.code)")
        } catch {
            return Found(error: "\(error)")
        }
    }

    private static func both<T: Codable & DirectlyCodable>(_ type: T.Type) -> [Door] {
        [directly(type), throughContainers(type)]
    }

    /// The types that the vectors name.
    private static var doors: [String: [Door]] {
        [
            "Int8": both(Int8.self), "Int16": both(Int16.self), "Int32": both(Int32.self),
            "Int64": both(Int64.self), "Int": both(Int.self), "UInt8": both(UInt8.self),
            "UInt16": both(UInt16.self), "UInt32": both(UInt32.self), "UInt64": both(UInt64.self),
            "Double": both(Double.self), "Float": both(Float.self), "Bool": both(Bool.self),
            "String": both(String.self), "[UInt8]": both([UInt8].self), "[Int]": both([Int].self),
            "[[Int]]": both([[Int]].self), "[Int?]": both([Int?].self), "Int?": both(Int?.self),
            "[String: Int]": both([String: Int].self), "Kind": both(Kind.self),
            "Color": [throughContainers(PlainBox.Color.self)], "Move": both(Move.self),
            "Order": both(Order.self), "[Order]": both([Order].self),
            "[String: Move]": both([String: Move].self),
            "PlainBox": [throughContainers(PlainBox.self)],
        ]
    }

    @Test(arguments: Vector.all(.values)) func `values`(_ vector: Vector) throws {
        let type = try #require(vector["type"]?.text)
        let doors = try #require(Self.doors[type], "nobody here knows the type \(type)")
        let bytes = try vector.bytes
        for (number, door) in doors.enumerated() {
            let found = door(bytes)
            #expect(found.error == vector.error, "door \(number)")
            guard let means = vector.means else { continue }
            #expect(found.json == means, "door \(number)")
            if vector["encoded"] != .null {
                #expect(found.encoded == (try vector.bytes(of: "encoded")), "door \(number)")
            }
        }
    }

    @Test func `every type that the vectors describe is here`() throws {
        let described = try VectorFile.all().filter { $0.group == .values }
            .flatMap { $0.top["types"]?.object?.keys.sorted() ?? [] }
        let inner: Set = ["Inner", "Shape"]
        #expect(!described.isEmpty)
        #expect(Set(described).subtracting(inner).isSubset(of: Self.doors.keys))
    }
}
