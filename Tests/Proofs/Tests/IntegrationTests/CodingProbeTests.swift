// CodingProbeTests: what hostile payloads may cost a decoder.

import ProofSupport
import Testing

@Suite struct CodingProbeTests {
    @Test(.timeLimit(.minutes(10)))
    func `no payload makes a decoder ask for more than a multiple of its bytes`() async throws {
        let probe = try Child(Product.path("CodingProbe"), [])
        _ = try await probe.line { $0.contains("bytes for each byte") }
        #expect(await probe.exit() == 0)
    }
}
