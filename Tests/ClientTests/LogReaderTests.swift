// LogReaderTests: the lines of a log, of any size, over files that come and go.

import Foundation
import NapkinTransport
import Testing

@testable import NapkinClient

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct LogReaderTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/nk.\(UUID())"

    private func text(_ numbers: Range<Int>) -> String {
        numbers.map { "line \($0)\n" }.joined()
    }

    private func cleanUp() {
        // What is left of a test that is over does not matter.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
    }

    private func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: directory + "/a.log"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    @Test func `lines of any length are whole, but for one that is too long`() throws {
        defer { cleanUp() }
        let most = LogReader.lineBytesMax
        let lines = ["", "a", ""] + [most - 1, most].map { String(repeating: "b", count: $0) }
        let long = String(repeating: "c", count: most + 1)
        try write((lines + [long, "end"]).joined(separator: "\n"), to: "a.log")
        var found: [String] = []
        let reader = LogReader(directory + "/a.log") {
            found.append(String(decoding: $0, as: UTF8.self))
        }
        reader.read()
        reader.finish()
        #expect(found == lines + [String(long.dropLast()), "c", "end"])
        #expect(reader.skipped == 0)
    }

    @Test func `of a large log the end is read, from a whole line on, over its files`() throws {
        defer { cleanUp() }
        try write(text(0..<700_000), to: "a.log.1")
        try write(text(700_000..<1_000_000), to: "a.log")
        var found: [Int?] = []
        let reader = LogReader(directory + "/a.log") {
            found.append(Int(String(decoding: $0.dropFirst(5), as: UTF8.self)))
        }
        reader.read()
        let first = try #require(found.first ?? nil)
        #expect(reader.skipped > 3_000_000 && first > 100_000 && first < 700_000)
        #expect(found == Array(first..<1_000_000))
    }

    @Test func `a reader that follows goes on when the file is cut, or the directory made again`()
        async throws
    {
        defer { cleanUp() }
        try write(text(0..<100), to: "a.log")
        var found: [String] = []
        var awaited: (line: String, continuation: CheckedContinuation<Void, Never>)?
        let reader = LogReader(directory + "/a.log") {
            found.append(String(decoding: $0, as: UTF8.self))
            guard found.last == awaited?.line else { return }
            awaited?.continuation.resume()
            awaited = nil
        }
        func meets(_ line: String) async {
            guard !found.contains(line) else { return }
            await withCheckedContinuation { awaited = (line, $0) }
        }
        reader.follow()
        await meets("line 99")
        #expect(truncate(directory + "/a.log", 0) == 0)
        try append("cut\n")
        await meets("cut")
        try FileManager.default.removeItem(atPath: directory)
        try write("again\n", to: "a.log")
        await meets("again")
        try append("on\n")
        await meets("on")
        #expect(found == (0..<100).map { "line \($0)" } + ["cut", "again", "on"])
    }
}
