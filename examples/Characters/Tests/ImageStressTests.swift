// ImageStressTests: a thousand reads, evictions and writes at once, and no torn file.

import Foundation
import NapkinTesting
import Testing

@testable import CharactersNetworking

/// Writes in place, and stops in the middle: what a file system must not do.
private struct TearingFiles: FileSystem {
    let whole: DiskFiles
    /// Somebody who looks while half of a file is there.
    let middle: @Sendable () -> Void

    nonisolated func read(_ name: String) throws(FileError) -> [UInt8]? { try whole.read(name) }

    nonisolated func write(
        _ bytes: [UInt8], to name: String, at use: Int64
    ) throws(FileError) {
        let half = bytes.prefix(bytes.count / 2)
        for part in [Array(half), bytes] {
            guard
                FileManager.default.createFile(
                    atPath: "\(whole.directory)/\(name)", contents: Data(part))
            else { throw FileError("cannot write \(name)") }
            if part.count < bytes.count { middle() }
        }
        try whole.touch(name, at: use)
    }

    nonisolated func touch(_ name: String, at use: Int64) throws(FileError) {
        try whole.touch(name, at: use)
    }

    nonisolated func remove(_ name: String) throws(FileError) { try whole.remove(name) }

    nonisolated func files() throws(FileError) -> [StoredFile] { try whole.files() }
}

@Suite(.timeLimit(.minutes(10)))
struct ImageStressTests {
    private static let operations = 1000
    private static let keys = 24
    /// Bytes of the cache: a third of what all images take, so that there is always something to
    /// evict.
    private static let byteMax = keys * imageBytes / 3
    private static let imageBytes = 6000

    /// Every version of a key has other bytes, and another length.
    private static func image(_ key: Int, _ version: Int) -> [UInt8] {
        (0..<imageBytes + version % 7).map {
            UInt8(truncatingIfNeeded: $0 &* 31 &+ key &* 7 &+ version)
        }
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/nki.XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        let directory = String(cString: path)
        // What is left of a test that is over does not matter.
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    /// Every file that has its name now, by the checksum in it: those that are not whole.
    private static func torn(in directory: String) throws -> [String] {
        let files = DiskFiles(directory: directory)
        return try files.files().compactMap { file in
            // One that is evicted meanwhile is not there, which is no tear.
            guard let bytes = try files.read(file.name) else { return nil }
            return CacheFile(bytes) == nil ? "\(file.name): \(bytes.count) bytes" : nil
        }
    }

    @Test func `a thousand reads, evictions and writes at once leave no torn file`() async throws {
        try await withDirectory { directory in
            // As three workers would have it: they share nothing but the directory.
            let caches = (1...3).map { _ in
                ImageCache(files: DiskFiles(directory: directory), byteMax: Self.byteMax)
            }
            let (hits, torn) = (Journal(), Journal())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.operations {
                    let cache = caches[number % caches.count]
                    // Five that follow one another are about the same image, and so is a reader.
                    let key = number / 5 * 7 % Self.keys
                    group.addTask {
                        switch number % 5 {
                        case 0, 1: try await cache.store(Self.image(key, number), for: "k\(key)")
                        case 2: try await cache.evict(until: Self.byteMax / 2)
                        case 3:
                            guard let image = try await cache.image(for: "k\(key)") else { return }
                            // Whole, and of this key: one of the versions that were written.
                            let version = Int(image[0] &- UInt8(key * 7))
                            let versions = stride(from: version, to: Self.operations, by: 256)
                            let isOne = versions.contains { Self.image(key, $0) == image }
                            hits.note("k\(key)")
                            if !isOne { torn.note("read of k\(key)") }
                        default:
                            for file in try Self.torn(in: directory) { torn.note(file) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(torn.lines == [])
            #expect(!hits.lines.isEmpty)
            #expect(try Self.torn(in: directory) == [])
            for cache in caches { #expect(await cache.damagedCount == 0) }
            // Nothing unfinished is left, and the next store is within the limit.
            try await caches[0].store(Self.image(0, 0), for: "k0")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.allSatisfy { $0.hasSuffix(".image") }, "\(names)")
            let total = try DiskFiles(directory: directory).files().reduce(0) {
                $0 + $1.byteCount
            }
            #expect(total <= Self.byteMax)
        }
    }

    @Test func `the same look finds what a writer in place leaves in the middle`() async throws {
        try await withDirectory { directory in
            let torn = Journal()
            let files = TearingFiles(whole: DiskFiles(directory: directory)) {
                // A directory that cannot be read has no tear, and fails the expectation below.
                for file in (try? Self.torn(in: directory)) ?? [] { torn.note(file) }
            }
            let cache = ImageCache(files: files, byteMax: Self.byteMax)
            try await cache.store(Self.image(1, 1), for: "k1")
            try await cache.store(Self.image(1, 2), for: "k1")
            #expect(torn.lines.count == 2, "\(torn.lines)")
        }
    }

    @Test func `what a dead process has left unfinished is removed, and nobody else's`()
        async throws
    {
        try await withDirectory { directory in
            let files = DiskFiles(directory: directory)
            // No process has such a number: Linux ends at 4194304.
            let dead = "\(DiskFiles.unfinished)99999999-1"
            let own = "\(DiskFiles.unfinished)\(getpid())-1"
            let alive = "\(DiskFiles.unfinished)1-1"
            for name in [dead, own, alive, "other"] {
                #expect(
                    FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil))
            }
            try files.removeUnfinished()
            let left = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(Set(left) == [own, alive, "other"])
        }
    }

    @Test func `a directory is made when it is needed, and what cannot be done is said`()
        async throws
    {
        try await withDirectory { directory in
            let files = DiskFiles(directory: "\(directory)/a/b")
            #expect(try files.files() == [])
            #expect(try files.read("x") == nil)
            try files.write([1, 2], to: "x", at: 5)
            #expect(try files.read("x") == [1, 2])
            #expect(
                try files.files() == [StoredFile(name: "x", byteCount: 2, lastUse: 5)])
            try files.touch("x", at: 3_000_000_007)
            #expect(try files.files().first?.lastUse == 3_000_000_007)
            try files.remove("x")
            try files.remove("x")
            #expect(try files.files() == [])

            let nowhere = DiskFiles(directory: "\(directory)/a/b/x")
            try files.write([1], to: "x", at: 1)
            let error = #expect(throws: FileError.self) { try nowhere.write([1], to: "y", at: 1) }
            #expect(error?.description.contains("Not a directory") == true)
        }
    }
}
