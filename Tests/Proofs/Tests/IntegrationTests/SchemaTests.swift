// SchemaTests: what an app's contract is, and what a lock file makes of it.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SchemaTests {
    private let place = Workplace()

    /// Rib House's own lock file, and the directory of the examples.
    private static let examples = URL(filePath: Repository.root + "/examples")

    private static func lock() throws -> String {
        let file = examples.appendingPathComponent("RibHouse/schema.lock")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test func `the contract is printed, the worker started for it, and what cannot be is told`()
        async throws
    {
        try await place.daemon()
        let (_, before, _) = try await place.run(["apps"])
        #expect(before.joined().contains("idle"))
        let (status, lines, errors) = try await place.run(["schema", "rib-house"])
        #expect(status == 0, "\(errors)")
        #expect(lines.first == "app rib-house")
        for line in [
            "feature rib-house.pit-board", "  state present(sections:)",
            "    sections                    [PitSection]", "  event didTapBack()",
            "  arguments                     LoggedIn.Arguments", "struct PitItem",
            "  stage                         PitItem.Stage",
            "enum PitItem.Stage              String",
            "  lighting                      \"lighting\"",
        ] {
            #expect(lines.contains(line), "\(line) is not in \(lines)")
        }
        let (_, after, _) = try await place.run(["apps"])
        #expect(after.joined().contains("running"))
        let json = try await place.run(["schema", "rib-house", "--json"])
        #expect(json.status == 0 && json.lines.count == 1)
        let schema = try JSON.object(json.lines.joined())
        let features = try #require(schema["features"] as? [[String: Any]])
        let board = try #require(
            features.first { $0["feature"] as? String == "rib-house.pit-board" })
        let presents = try #require(board["presents"] as? [[String: Any]])
        #expect(presents.first?["key"] as? String == "present(sections:)")
        let types = try #require(schema["types"] as? [[String: Any]])
        let item = try #require(types.first { $0["name"] as? String == "PitItem" })
        let fields = try #require(item["fields"] as? [[String: String]])
        #expect(fields.last == ["key": "stage", "type": "PitItem.Stage"])
        try await isToldInASentence()
    }

    /// What cannot be printed is told in a sentence.
    private func isToldInASentence() async throws {
        let file = place.directory + "/schema.lock"
        try await place.fails(["schema", "nope"], 66, saying: ["no app 'nope'", "rib-house"])
        let absent = place.directory + "/absent.lock"
        try await place.fails(
            ["schema", "rib-house", "--check", absent], 66,
            saying: ["there is no lock file \(absent)", "--lock"])
        try await place.fails(
            ["schema", "rib-house", "--lock", place.directory + "/no/where.lock"], 74,
            saying: ["cannot write"])
        for (text, words) in [
            ("app rib-house\nclass X\n", ["line 2: 'class' is none of", "restore the file"]),
            ("app cart\n", ["is the lock file of cart, not of rib-house"]),
        ] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try await place.fails(["schema", "rib-house", "--check", file], 65, saying: words)
        }
    }

    // MARK: - make schema-check

    /// What the script has left of napkind and its workers, whose environment mentions the place.
    private func left(_ place: Workplace) -> [Int32] {
        Vitals.processes(mentioning: "/tmp/napkin-schema.").filter { pid in
            // One that has ended meanwhile has none.
            let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
            return String(decoding: environment ?? Data(), as: UTF8.self)
                .contains(place.directory)
        }
    }

    /// Runs scripts/schema.sh on a copy of the locks.
    private func script(
        _ action: String, _ place: Workplace, breaking: Bool = false
    ) async throws -> (status: Int32, text: String) {
        let script = Self.examples.appendingPathComponent("../scripts/schema.sh")
        let products = URL(fileURLWithPath: try Product.path("napkind"))
            .deletingLastPathComponent()
        let child = try Child(
            script.standardizedFileURL.path, [action, products.path],
            environment: [
                "SCHEMA_LOCKS": place.directory + "/locks", "BREAKING": breaking ? "1" : "",
                "XDG_CONFIG_HOME": place.directory + "/config",
            ])
        child.closeInput()
        let status = await child.exit()
        let errors = await child.allErrors()
        return (status, (await child.allLines() + [errors]).joined(separator: "\n"))
    }

    /// Copies the locks of all examples; returns the path of Rib House's.
    private static func copyLocks(to directory: String) throws -> String {
        for name in try FileManager.default.contentsOfDirectory(atPath: examples.path) {
            let lock = examples.appendingPathComponent("\(name)/schema.lock").path
            guard FileManager.default.fileExists(atPath: lock) else { continue }
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: lock, toPath: "\(directory)/\(name)/schema.lock")
        }
        return directory + "/RibHouse/schema.lock"
    }

    @Test func `the script names the field, and writes what is accepted`() async throws {
        let file = try Self.copyLocks(to: place.directory + "/locks")
        try FileManager.default.removeItem(atPath: file)
        let (none, words) = try await script("check", place)
        #expect(none == 66)
        #expect(words.contains("rib-house has no lock"))
        let broken = try Self.lock().replacing(
            "struct Special\n", with: "struct Special\n  price  Int\n")
        try broken.write(toFile: file, atomically: true, encoding: .utf8)
        for action in ["check", "lock"] {
            let (status, text) = try await script(action, place)
            #expect(status == 76, "\(text)")
            #expect(text.contains("Special.price: field removed"))
            #expect(text.contains("make schema-lock BREAKING=1"))
        }
        #expect(try text(file) == broken)
        #expect(try await script("lock", place, breaking: true).status == 0)
        #expect(try text(file) == Self.lock())
        #expect(try await script("check", place).status == 0)
        #expect(left(place) == [])
    }
}
