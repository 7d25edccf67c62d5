// AppManifestTests: the manifests of Protocol/vectors, and limits.

import Foundation
import NapkinProtocol
import TestSupport
import Testing

struct AppManifestTests {
    private static let directory = Repository.root + "/Protocol/vectors/manifests/"

    private func texts(_ kind: String) throws -> [(name: String, text: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: Self.directory + kind).sorted()
            .filter { $0.hasSuffix(".json") }
            .map { file in
                let path = "\(Self.directory)\(kind)/\(file)"
                return (String(file.dropLast(5)), Array(try Data(contentsOf: URL(filePath: path))))
            }
    }

    private func error(_ text: [UInt8], named name: String) -> String? {
        do throws(AppManifestError) {
            _ = try AppManifest(text, named: name)
            return nil
        } catch {
            return "\(name).json:\(error.line): \(error.message)"
        }
    }

    @Test func `every valid manifest is read`() throws {
        let texts = try texts("valid")
        #expect(texts.count >= 7)
        for (name, text) in texts { #expect(error(text, named: name) == nil) }
        let house = try #require(texts.first { $0.name == "rib-house" })
        let manifest = try AppManifest(house.text, named: house.name)
        #expect(manifest.title == "Rib House" && manifest.version == nil)
        let versioned = try #require(texts.first { $0.name == "version" })
        let version = try AppManifest(versioned.text, named: "version").version
        #expect(version?.utf8.count == AppManifest.versionBytesMax)
        #expect(manifest.worker.path == "/usr/lib/rib-house/worker")
        #expect(manifest.worker.arguments == ["--grill", ""])
        #expect(manifest.worker.environment == ["GRILL": "hot", "EMPTY": ""])
        #expect(manifest.front?.path == "/usr/lib/rib-house/front")
        #expect(manifest.front?.arguments == ["--colour"])
        #expect(manifest.sessions == ["main", "late+lunch"])
        #expect(manifest.hangSeconds == AppManifest.hangSecondsDefault)
        let till = try #require(texts.first { $0.name == "till" })
        #expect(try AppManifest(till.text, named: till.name).hangSeconds == 0)
        #expect(
            try AppManifest(till.text, named: till.name).worker.directory == "/var/lib/till")
        #expect(manifest.worker.directory == nil)
        #expect(manifest.isolation == .shared)
        let isolations = try ["shared", "spread", "apart"].map { name in
            try AppManifest(#require(texts.first { $0.name == name }).text, named: name).isolation
        }
        #expect(isolations == [.shared, .workers(Isolation.workersMax), .session])
        #expect(manifest.limits == nil && manifest.restart == nil)
        let restarts = try ["restart", "restart-some"].map { name in
            try AppManifest(#require(texts.first { $0.name == name }).text, named: name).restart
        }
        #expect(restarts.map { $0?.times } == [0, 100])
        #expect(restarts.map { $0?.seconds } == [86_400, RestartLimit().seconds])
        let limited = try #require(texts.first { $0.name == "limits" })
        let limits = try #require(try AppManifest(limited.text, named: "limits").limits)
        #expect(limits.memory == 256 << 20 && limits.files == 256 && limits.processor == 30)
        #expect(limits.core == 1 << 20 && limits.newPrivileges == true && limits.sessions == 20)
        #expect(limits.fronts == 100 && limits.events == 500)
    }

    @Test func `every invalid manifest is refused with its line, and with what would be right`()
        throws
    {
        let said = try texts("invalid").map { error($0.text, named: $0.name) ?? "\($0.name): read" }
        let expected = try String(contentsOfFile: Self.directory + "errors.txt", encoding: .utf8)
        #expect(said.count >= 20)
        #expect(said.joined(separator: "\n") + "\n" == expected)
    }

    @Test func `a manifest is read at its limit of bytes, and not above`() {
        let head = #"{"id": "a", "worker": {"program": "/p"}}"#
        let full = head + String(repeating: " ", count: AppManifest.bytesMax - head.utf8.count)
        #expect(error(Array(full.utf8), named: "a") == nil)
        #expect(error(Array((full + " ").utf8), named: "a")?.contains("65536 bytes") == true)
    }

    @Test func `no beginning of a manifest traps`() throws {
        for (name, text) in try texts("valid") + texts("invalid") {
            for end in text.indices { _ = error(Array(text[..<end]), named: name) }
        }
    }
}
