// TranscriptFileTests: lines out of files and pipes, whatever is in them.

import Foundation
import Testing

@testable import TranscriptionFeature

@Suite(.timeLimit(.minutes(10)))
struct TranscriptFileTests {
    let paper: Paper

    init() throws { paper = try Paper() }

    private func lines(of path: String) async throws -> [String?] {
        let file = try TranscriptFile(path: path)
        var lines: [String?] = []
        while let line = try await file.next() {
            lines.append(line.text)
            #expect(line.number == lines.count)
        }
        // The end stays the end.
        #expect(try await file.next() == nil)
        return lines
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]),
            ("a\r\nb\r\n", ["a", "b"]),
        ] as [(String, [String?])])
    func `a file has its lines, also without an end of the last`(
        text: String, expected: [String?]
    ) async throws {
        #expect(try await lines(of: paper.file(text)) == expected)
    }

    @Test func `a file of many chunks has all of its lines`() async throws {
        let expected = (1...2000).map { "line number \($0)" }
        let path = try paper.file(expected.joined(separator: "\n"))
        #expect(try await lines(of: path) == expected)
    }

    @Test func `a line that is too long, or no UTF-8, is no text, and the next one is`()
        async throws
    {
        let most = TranscriptLine.bytesMax
        for (count, isText) in [(most - 1, true), (most, true), (most + 1, false), (9999, false)] {
            let long = [UInt8](repeating: 0x78, count: count)
            let lines = try await lines(of: try paper.file(long + Array("\nnext\n".utf8)))
            #expect(lines.map { $0 != nil } == [isText, true], "\(count)")
            #expect(lines.last == "next")
        }
        #expect(try await lines(of: paper.file([0xFF, 0x0A, 0x61])) == [nil, "a"])
    }

    @Test func `what cannot be opened is named, with the reason`() throws {
        let missing = paper.directory + "/missing"
        let error = try #require(throws: TranscriptionError.self) {
            try TranscriptFile(path: missing)
        }
        #expect("\(error)" == "cannot open \(missing): No such file or directory")
        #expect(
            throws: TranscriptionError.cannotOpen(
                paper.directory, "it is neither a file nor a pipe")
        ) { try TranscriptFile(path: paper.directory) }
    }

    @Test func `a pipe is waited for, before its writer comes and while it says nothing`()
        async throws
    {
        let path = try paper.pipe()
        let file = try TranscriptFile(path: path)
        async let first = file.next()
        let writer = try #require(FileHandle(forWritingAtPath: path))
        try writer.write(contentsOf: Data("one\ntw".utf8))
        #expect(try await first?.text == "one")
        async let second = file.next()
        try writer.write(contentsOf: Data("o\n".utf8))
        #expect(try await second?.text == "two")
        async let end = file.next()
        try writer.close()
        #expect(try await end == nil)
    }

    @Test func `whoever waits for a pipe can be cancelled`() async throws {
        let file = try TranscriptFile(path: try paper.pipe())
        let waiting = Task { try await file.next() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
