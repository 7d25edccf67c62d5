// GuidelineTests: the example's data layer belongs to no actor, whatever its module says.

import Foundation
import Testing

/// `CharactersNetworking` is nonisolated by default, so that the compiler there ignores a missing
/// `nonisolated`. In a module that is on the main actor by default it does not.
@Suite(.timeLimit(.minutes(10)))
struct GuidelineTests {
    /// The sources but for the one that needs the packages of the transport.
    private static func sources() throws -> [(name: String, text: String)] {
        let directory = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../examples/Characters/Networking").standardizedFileURL
        return try ["", "Disk/"].flatMap { folder in
            try FileManager.default
                .contentsOfDirectory(atPath: directory.appendingPathComponent(folder).path)
                .filter { $0.hasSuffix(".swift") && $0 != "ServerTransport.swift" }
                .map { name in
                    let file = directory.appendingPathComponent(folder + name)
                    return (name, try String(contentsOf: file, encoding: .utf8))
                }
        }
    }

    /// Checks the types of the sources as a module that is on the main actor by default.
    private func check(
        _ change: (String) -> String = { $0 }
    ) async throws -> (status: Int32, output: String) {
        let place = try Scratch()
        defer { place.remove() }
        let files = try Self.sources().map { name, text in
            try place.write(change(text), to: name)
            return place.directory.appendingPathComponent(name).path
        }
        #expect(files.count > 10)
        return try await Compiler.run(
            "swiftc",
            ["-typecheck", "-parse-as-library", "-module-name", "CharactersNetworking"]
                + ["-package-name", "examples"] + PackageSettings.arguments(.front) + files)
    }

    @Test func `the data layer compiles in a module on the main actor as well`() async throws {
        let (status, output) = try await check()
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test(arguments: [
        ("nonisolated struct CharacterSummary", "initializer 'init(id:name:role:)'"),
        ("nonisolated extension CharacterPage", "initializer 'init(_:number:)'"),
        ("nonisolated struct ErrorMapper", "instance method 'error(of:)'"),
    ])
    func `it does not with a type that leaves the word out`(
        declaration: String, words: String
    ) async throws {
        let plain = declaration.replacing("nonisolated ", with: "")
        let (status, output) = try await check { $0.replacing(declaration, with: plain) }
        #expect(status != 0 && output.contains("main actor-isolated \(words)"), "\(output)")
    }
}
