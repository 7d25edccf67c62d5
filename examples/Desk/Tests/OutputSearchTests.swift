// OutputSearchTests: which lines are found, and how many.

import DeskContract
import Testing

@testable import DeskFeature

@Suite struct OutputSearchTests {
    /// What a search says of lines.
    private func found(_ words: String, in lines: [String]) throws -> Found {
        var search = try OutputSearch(words)
        for (index, line) in lines.enumerated() { search.look(at: line, of: index) }
        return search.found
    }

    @Test func `a line has all words, in any case, and shows no control character`() throws {
        let lines = [
            "\u{1B}[31mError:\u{1B}[0m\tNo Such\u{7}\u{8}\u{9B} file\r", "no such thing",
            "file\u{1B}]0;no such\u{7}", "",
        ]
        let found = try found("SUCH  no file", in: lines)
        #expect(found.matches == [Found.Match(run: 0, line: "Error: No Such file")])
        #expect(found.rest == nil)
        #expect(throws: DeskError.self) { try OutputSearch(" \n") }
    }

    @Test func `a long line is cut around the first word`() throws {
        let long = String(repeating: "x", count: 1000)
        let line = try #require(try found("here", in: [long + "HERE" + long]).matches.first?.line)
        #expect(line.hasPrefix("…xxx") && line.contains("xHEREx"))
        #expect(line.count == OutputSearch.lineMax + 1)
        #expect(
            try found("here", in: ["here" + long]).matches.first?.line.hasPrefix("here") == true)
    }

    @Test func `no more lines are kept than a person reads, and more are spoken of`() throws {
        let lines = [String](repeating: "same", count: OutputSearch.matchesMax)
        #expect(try found("same", in: lines).rest == nil)
        let more = try found("same", in: lines + ["same", "same"])
        #expect(more.matches.count == OutputSearch.matchesMax)
        #expect(more.rest?.contains("there are more") == true)
    }
}
