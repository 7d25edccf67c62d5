// StyleTests: the rules of the repository, tried on every file of it.

import Testing

@Suite struct StyleTests {
    @Test func `the repository is found and has sources`() {
        #expect(SourceTree.root != nil, "set NAPKIN_ROOT to the checkout")
        #expect(!SourceTree.swiftFiles.isEmpty)
    }

    @Test func `at the top there is what is expected there, and nothing else`() throws {
        let expected: Set = [
            "ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
            "Makefile", "Package.swift", "Protocol", "README.md", "Sources", "Tests", "daemon",
            "docs", "examples", "scripts",
        ]
        let found = Set(try SourceTree.topLevel())
        #expect(found.subtracting(expected).isEmpty, "put it where it belongs")
        #expect(expected.subtracting(found).isEmpty, "something is missing")
    }

    @Test(arguments: Rule.all)
    func `every file keeps the rule`(_ rule: Rule) {
        report(SourceTree.files.flatMap(rule.check))
    }

    @Test(arguments: Rule.all)
    func `the rule finds what breaks it`(_ rule: Rule) {
        #expect(rule.examples.contains { !$0.broken.isEmpty })
        #expect(rule.examples.contains { $0.broken.isEmpty })
        for example in rule.examples {
            let file = SourceFile(path: example.path, text: example.text)
            let lines = rule.check(file).map(\.line).sorted()
            #expect(lines == example.broken, "\(example.path):\n\(example.text)")
        }
    }

    @Test(arguments: SafetyBudget.rows)
    func `what the compiler does not check is what its budget says`(_ row: SafetyBudget) {
        let count = Rule.count(row.construct, in: SourceTree.swiftFiles)
        print(
            "\(row.construct): \(count.shipped) of \(row.shipped) in the sources,",
            "\(count.tests) of \(row.tests) in the tests")
        let advice: Comment = """
            more: do without, or raise the number in SafetyBudget.swift and say why; fewer: lower it
            """
        #expect(count.shipped == row.shipped, advice)
        #expect(count.tests == row.tests, advice)
    }

    @Test func `few files speak with libuv`() {
        let files = SourceTree.swiftFiles.filter { file in
            Rule.imports(of: file).contains { $0.module == "CLibuv" }
        }
        #expect(files.count <= ImportTable.libuvFilesMax, "\(files.map(\.path)): put two together")
    }

    @Test(arguments: Rule.numberedDocuments)
    func `every cited section exists`(of document: String) throws {
        let file = try #require(
            SourceTree.files.first { $0.path == document },
            "\(document) is missing: the code cites it, write it")
        let specification = Specification(file)
        report(SourceTree.files.flatMap(specification.violations))
    }

    @Test func `a citation needs a section of that number and title`() {
        let specification = Specification(
            SourceFile(path: Rule.specification, text: "# Spec\n## 2. Framing\n### 2.1 Length\n"))
        let text = ["2", "2 (Framing)", "2.1 (length).", "3", "2 (Payload)", "2.2", "N", "Framing"]
            .map { "// Spec  Protocol/SPEC.md, section " + $0 }.joined(separator: "\n")
        let found = specification.violations(in: SourceFile(path: "A.swift", text: text))
        #expect(found.map(\.line) == [4, 5, 6, 8])
        let several = ["2 (Framing) and 2.1 (Length)", "2 (Framing), 3 (A) and 2 (B)."]
            .map { "// Spec  Protocol/SPEC.md, sections " + $0 }.joined(separator: "\n")
        let more = specification.violations(in: SourceFile(path: "A.swift", text: several))
        #expect(more.map(\.line) == [2, 2])
        let itself = "see section 2 (Framing), section 7 (Lost); TOOLS.md, section 9 (Else)\n"
        let own = specification.violations(in: SourceFile(path: Rule.specification, text: itself))
        #expect(own.count == 1)
    }

    private func report(_ violations: [Violation]) {
        for violation in violations.sorted(by: { ($0.path, $0.line) < ($1.path, $1.line) }) {
            Issue.record("\(violation.description)")
        }
    }
}

extension SafetyBudget: CustomTestStringConvertible {
    var testDescription: String { construct }
}
