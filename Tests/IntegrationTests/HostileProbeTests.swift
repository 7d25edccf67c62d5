// HostileProbeTests: sequences of valid messages that make no sense, some thousand of them.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HostileProbeTests {
    /// `make hostile` sends a million; this many take some seconds.
    @Test func `senseless sequences are answered or end their connection, and leave nothing`()
        async throws
    {
        let probe = try Child(
            Product.path("HostileProbe"),
            ["--count", "12000", "--interval", "3000", "--seed", "20260"])
        let status = await probe.exit()
        // Reads to the end, which it reports as an error.
        _ = try? await probe.line { _ in false }
        let text = probe.lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(probe.errorText)")
        #expect(probe.lines.contains { $0.hasPrefix("held       12000 sequences") }, "\(text)")
        print(text)
    }

    @Test func `the probe refuses a count that sends nothing`() async throws {
        let probe = try Child(Product.path("HostileProbe"), ["--count", "0"])
        #expect(await probe.exit() == 64)
    }
}
