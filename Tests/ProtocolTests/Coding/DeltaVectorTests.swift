// DeltaVectorTests: the golden vectors of deltas.

import NapkinCoding
import TestSupport
import Testing

struct DeltaVectorTests {
    @Test(arguments: Vector.all(.deltas)) func `deltas`(_ vector: Vector) throws {
        let before = try vector.bytes(of: "before")
        var after: [UInt8]?
        let error = try vector.bytes.withUnsafeBytes { delta in
            code { after = try CBORDelta.apply(delta, to: before, bytesMax: 1 << 20) }
        }
        #expect(error.map { "\($0)" } == vector.error)
        let wanted = try vector.means?.object?["after"].map { try Vector.bytes($0) }
        #expect(after == wanted)
    }
}
