// FuzzTests: every vector through every fuzz target; the fuzzers themselves run by `make fuzz`.

import FuzzTargets
import ProofSupport
import Testing

@Suite(.serialized) @MainActor
struct FuzzTests {
    @Test(arguments: FuzzTarget.allCases)
    func `every vector ends in a value or in an error`(_ target: FuzzTarget) throws {
        var count = 0
        for group in VectorGroup.allCases {
            for vector in Vector.all(group) where vector["bytes"] != nil {
                let bytes = try vector.bytes
                guard bytes.count <= 65_536 else { continue }
                target.run(bytes)
                // What stands before a payload in the other targets: a role, a cut or a kind.
                for first in [0, 1, 7, 8, 32, 44] { target.run([UInt8(first)] + bytes) }
                count += 1
            }
        }
        #expect(count > 300)
    }
}
