// GoldenLedgerTests: ledgers of earlier versions are read as what they hold.

import Foundation
import ProofSupport
import Testing

/// `make golden-ledger` writes one, and beside it what it holds. Those of each released format
/// stay.
@Suite(.timeLimit(.minutes(10)))
struct GoldenLedgerTests {
    private static let folder = Repository.root + "/Protocol/vectors/journals"
    /// The names of the ledgers that are kept.
    private static let names =
        FileManager.default.enumerator(atPath: folder)?
        .compactMap { $0 as? String }.filter { $0.hasSuffix(".ledger") }.sorted() ?? []

    @Test func `there is one`() { #expect(!Self.names.isEmpty) }

    @Test(arguments: names) func `what it holds is read`(name: String) async throws {
        let directory = TemporaryDirectory()
        let source = Self.folder + "/" + name
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source + end, toPath: directory("l" + end))
            chmod(directory("l" + end), 0o600)
        }
        let held = try String(contentsOfFile: source + ".json", encoding: .utf8)
        let probe = try Child(
            Product.path("LedgerProbe"), ["golden", "read", directory("l")])
        let (status, lines) = await probe.result()
        #expect(status == 0, "\(lines) \(probe.errorText)")
        #expect(lines.joined(separator: "\n") + "\n" == held)
    }
}
