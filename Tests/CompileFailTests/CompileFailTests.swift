// CompileFailTests: what the compiler must refuse, with what words, and the corrected form of each.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompileFailTests {
    /// Compiles a snippet with nothing in reach but what a contract may see.
    private func diagnose(_ snippet: Snippet) async throws -> Diagnosis {
        let build = try Build()
        let place = try Scratch()
        defer { place.remove() }
        try build.linkContractModules(in: place.directory)
        return try await Compiler.check(
            snippet.path, snippet.settings, modules: place.directory, plugin: build.plugin)
    }

    @Test(arguments: try Snippet.names(.fails))
    func `it is refused, for the reason given and no other`(_ name: String) async throws {
        let snippet = try Snippet(name, .fails)
        #expect(snippet.expected.contains { $0.severity == "error" })
        let diagnosis = try await diagnose(snippet)
        let complaints = diagnosis.complaints(expecting: snippet.expected)
        #expect(complaints.isEmpty, "\(name)\n\(complaints)\n\(diagnosis.output)")
        printRow("\(name) is refused, for the reason given and no other", complaints.isEmpty)
    }

    @Test(arguments: try Snippet.names(.compiles))
    func `corrected, it compiles without a word`(_ name: String) async throws {
        let snippet = try Snippet(name, .compiles)
        #expect(snippet.expected.isEmpty)
        let diagnosis = try await diagnose(snippet)
        #expect(diagnosis.status == 0 && diagnosis.output.isEmpty, "\(name)\n\(diagnosis.output)")
        printRow("\(name), corrected, compiles without a word", diagnosis.output.isEmpty)
    }

    /// For `make conformance`.
    private func printRow(_ promise: String, _ isKept: Bool) {
        let padding = String(repeating: " ", count: max(0, 72 - promise.count))
        print("| \(promise)\(padding) | \(isKept ? "ok      " : "FAILED  ") |")
    }

    /// C1 to C7 are the pattern's; C8 is decision 21's; C9 is about durable interactors.
    @Test func `each case of section C has its pairs`() throws {
        let names = try Snippet.names(.fails)
        #expect(try Snippet.names(.compiles) == names)
        #expect(Set(names.map { $0.prefix(2) }) == Set((1...9).map { "C\($0)" }))
    }

    @Test func `a pair differs, and in what is compiled`() throws {
        func code(_ name: String, _ kind: Snippet.Kind) throws -> [Substring] {
            try String(contentsOfFile: Snippet(name, kind).path, encoding: .utf8)
                .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        }
        for name in try Snippet.names(.fails) {
            #expect(try code(name, .fails) != code(name, .compiles), "\(name)")
        }
    }

    /// That the module is not in reach is all that refuses it: with the whole build in reach, as
    /// SwiftPM has it for every target, the compiler says nothing.
    @Test func `C6: what refuses an import is that the module is out of reach`() async throws {
        let build = try Build()
        let snippet = try Snippet("C6Front", .fails)
        // What NapkinFront itself needs.
        let libraries = ["CLibuv", "CPostgres", "CSQLite"].flatMap { name in
            let map = "../../../Sources/Runtime/\(name)/module.modulemap"
            let url = URL(fileURLWithPath: #filePath).appendingPathComponent(map)
            return ["-Xcc", "-fmodule-map-file=\(url.standardizedFileURL.path)"]
        }
        let diagnosis = try await Compiler.check(
            snippet.path, snippet.settings, modules: build.modules, plugin: build.plugin,
            libraries)
        #expect(diagnosis.status == 0 && diagnosis.output.isEmpty, "\(diagnosis.output)")
    }

    // MARK: - The test itself

    private let source = Snippet(
        name: "A", path: "/a/A.swift",
        text: """
            // expected-note@+1: declared here
            let a = 1
            let b = a()  // expected-error: cannot call
            """)

    @Test(arguments: [
        ("3:9: error: cannot call value", "", []),
        ("3:9: error: cannot call value", "3:1: warning: b", ["unexpected: line 3: warning: b"]),
        (
            "2:9: error: cannot call", "",
            ["missing: line 3: error: cannot call", "unexpected: line 2: error: cannot call"]
        ),
        (
            "3:9: error: cannot call", "3:9: error: cannot call, too",
            ["unexpected: line 3: error: cannot call, too"]
        ),
        ("3:9: warning: cannot call", "", ["missing: line 3: error: cannot call"]),
    ])
    func `what is missing and what is too much is found`(
        first: String, second: String, complaints: [String]
    ) {
        let lines = ["2:5: note: 'a' declared here", first, second].map { "/a/A.swift:\($0)" }
        let diagnosis = Diagnosis(
            status: 1, output: lines.joined(separator: "\n"), of: source.path)
        let found = diagnosis.complaints(expecting: source.expected)
        #expect(complaints.allSatisfy(found.contains))
        #expect(found.isEmpty == complaints.isEmpty, "\(found)")
    }

    @Test func `an error in an expansion has the line of its macro`() {
        let output = """
            /tmp/x/@__swiftmacro_Fmp_.swift:3:10: error: cannot call
            /a/A.swift:3:1: note: in expansion of macro 'X' on protocol 'Y' here
            /a/A.swift:2:5: note: declared here
            <unknown>:0: error: and one without a place
            """
        let diagnosis = Diagnosis(status: 1, output: output, of: source.path)
        #expect(
            diagnosis.complaints(expecting: source.expected) == [
                "unexpected: line 0: error: and one without a place"
            ])
    }

    @Test func `a compiler that refuses nothing is found out`() {
        let diagnosis = Diagnosis(status: 0, output: "", of: source.path)
        #expect(
            diagnosis.complaints(expecting: source.expected) == [
                "missing: line 2: note: declared here", "missing: line 3: error: cannot call",
                "the compiler's status is 0",
            ])
    }

    @Test func `a setting of Package.swift that is new here is not passed over`() throws {
        #expect(throws: Failure.self) { try PackageSettings.arguments(for: "unsafeFlags([])") }
        let front = try PackageSettings.arguments(.front)
        #expect(front.starts(with: try PackageSettings.arguments(.strict)))
        #expect(front.contains("-warnings-as-errors") && front.contains("-default-isolation"))
    }
}
