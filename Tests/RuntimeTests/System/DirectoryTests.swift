// DirectoryTests: a directory that is watched, with real files.

import Foundation
import NapkinSystem
import NapkinTransport
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DirectoryTests {
    private let directory = TemporaryDirectory()

    private func path(_ name: String) -> String { directory.path + "/drop/" + name }

    private func watched() throws -> DirectoryChanges.Iterator {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/drop", withIntermediateDirectories: false)
        return try DirectoryChanges(of: directory.path + "/drop").makeAsyncIterator()
    }

    private func write(_ path: String) throws {
        try Data("kept".utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func `what comes, changes and goes is named, and the first change is for what was there`()
        async throws
    {
        var changes = try watched()
        let first = await changes.next()
        #expect(first?.isPartial == true && first?.names == [])
        try write(path("written"))
        #expect(await changes.next()?.names == ["written"])
        // Not a file: a process that another test forks can hold it open until it is here.
        #expect(mkdir(directory.path + "/elsewhere", 0o700) == 0)
        #expect(rename(directory.path + "/elsewhere", path("moved")) == 0)
        #expect(await changes.next()?.names == ["moved"])
        #expect(rename(path("written"), path("renamed")) == 0)
        #expect(await changes.next()?.names == ["written", "renamed"])
        #expect(unlink(path("renamed")) == 0)
        #expect(await changes.next()?.names == ["renamed"])
        #expect(mkdir(path("below"), 0o700) == 0)
        #expect(await changes.next()?.names == ["below"])
    }

    @Test func `a file that is still being written is not named`() async throws {
        var changes = try watched()
        _ = await changes.next()
        let file = try #require(fopen(path("long"), "we"))
        fputs("half", file)
        fflush(file)
        try write(path("short"))
        #expect(await changes.next()?.names == ["short"])
        fclose(file)
        #expect(await changes.next()?.names == ["long"])
    }

    @Test func `names above the limit make a change partial`() async throws {
        var changes = try watched()
        _ = await changes.next()
        for number in 0...DirectoryChange.namesMax {
            #expect(mkdir(path("\(number)"), 0o700) == 0)
        }
        let change = await changes.next()
        #expect(change?.names.count == DirectoryChange.namesMax && change?.isPartial == true)
    }

    @Test func `a last change and the end come, though they happened at once`() async throws {
        var changes = try watched()
        _ = await changes.next()
        try write(path("last"))
        try FileManager.default.removeItem(atPath: directory.path + "/drop")
        // All of it is there before the watcher reads.
        #expect(await changes.next()?.names.contains("last") == true)
        while await changes.next() != nil {}
    }

    @Test func `the changes end with the directory, or with the task`() async throws {
        var changes = try watched()
        _ = await changes.next()
        #expect(rmdir(directory.path + "/drop") == 0)
        #expect(await changes.next() == nil)
        let root = try DirectoryChanges(of: directory.path)
        let task = Task {
            var count = 0
            for await _ in root { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
    }

    @Test func `what is no directory is named`() throws {
        try write(directory.path + "/file")
        for (name, code) in [("none", "ENOENT"), ("file", "ENOTDIR")] {
            let path = directory.path + "/" + name
            let error = #expect(throws: TransportError.self) { _ = try DirectoryChanges(of: path) }
            #expect(error?.code == code && error?.subject == path)
        }
    }
}
