// JournalFileTests: a journal is read as a file, as far as it can be, and stays as it is.

import Foundation
import NapkinCore
import Synchronization
import TestSupport
import Testing

@testable import NapkinLedger

struct JournalFileTests {
    private let directory = TemporaryDirectory()
    private let copies = TemporaryDirectory()
    private var path: String { directory("house.ledger") }
    private static let names = ["a", "b", "c"]

    private func open() throws(StoreError) -> SQLiteStore {
        try SQLiteStore(path: path, durability: .process, logBytes: 1024 * 1024).opened()
    }

    private func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private func change(_ path: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try bytes(of: path)
        try change(&bytes)
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func image(_ session: SessionNumber, _ state: GroupNumber) throws -> SessionImage {
        let name = Self.names[Int(session) - 1]
        var image = SessionImage(
            session: session, title: SessionTitle(name: name, id: name, epoch: 7))
        var record = Record(session: session)
        record.attached = [
            AttachedNode(
                number: 1, parent: 0, slot: "", feature: "house.\(name)", arguments: [0xF6])
        ]
        record.states = [StateChange(number: 1, whole: [UInt8(state)])]
        try image.apply(record)
        return image
    }

    /// Writes three sessions, each with the number of its newest record as its state. The image of
    /// the third is as new as `imageAt`.
    private func write(
        _ count: GroupNumber = 20, tidyAt: GroupNumber? = nil, imageAt: GroupNumber? = nil
    ) throws {
        let store = try open()
        for number in 1...count {
            let session = number % 3 + 1
            var record = Record(session: session)
            record.states = [StateChange(number: 1, whole: [UInt8(number)])]
            let records = number == 1 ? [] : [try record.encoded()]
            var commit = JournalCommit(
                .init(number: number, bytes: RecordFraming.frame(records, number: number)))
            if number == 1 { commit.images = try (1...3).map { try image($0, 1).stored(as: 1) } }
            if number == imageAt { commit.images = [try image(3, number).stored(as: number)] }
            try store.commit(commit)
            if number == tidyAt { try store.tidy() }
        }
    }

    /// The newest record of each session, and why it has no newer one.
    private func read() async throws -> (JournalFile, [String: (record: UInt64, damage: String?)]) {
        let file = try JournalFile(path: path, copiedTo: copies.path)
        var found: [String: (record: UInt64, damage: String?)] = [:]
        for session in file.sessions {
            do {
                let (bytes, record, damage) = try await file.export(session, of: "house")
                let (export, image) = try await SessionExport.read(bytes)
                #expect(export.app == "house" && export.record == record)
                #expect(image.title.name == session.name)
                #expect(image.nodes.first?.state == [UInt8(record)], "\(session.name)")
                found[session.name] = (record, damage)
            } catch let error as ImageError {
                #expect("\(error)".contains(path) || "\(error)".contains("image"), "\(error)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).isEmpty)
        return (file, found)
    }

    @Test(arguments: [nil, 7, 20] as [GroupNumber?])
    func `a sound journal is read whole and stays as it is`(tidyAt: GroupNumber?) async throws {
        try write(tidyAt: tidyAt)
        func contents() throws -> [String: [UInt8]] {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            return try Dictionary(names.map { ($0, try bytes(of: directory($0))) }) { $1 }
        }
        let before = try contents()
        let (file, found) = try await read()
        #expect(found.mapValues(\.record) == ["a": 18, "b": 19, "c": 20])
        #expect(found.values.allSatisfy { $0.damage == nil })
        let check = try file.verify(problemsMax: 10)
        #expect(check.problems.isEmpty && check.sessions == 3 && check.groups == 20)
        #expect(try contents() == before)
    }

    @Test func `a journal is read whole while it is written, and its log begins again`()
        async throws
    {
        try write(tidyAt: 20)
        let store = try open()
        let isOver = Mutex(false)
        async let written: Void = Task.detached {
            var number: GroupNumber = 20
            while !isOver.withLock({ $0 }) {
                number += 1
                let bytes = RecordFraming.frame([], number: number)
                var commit = JournalCommit(.init(number: number, bytes: bytes))
                commit.images = try (1...3).map { try image($0, number % 256).stored(as: number) }
                commit.trimmed = number - 1
                try store.commit(commit)
                if number % 3 == 0 { try store.tidy() }
            }
        }.value
        var whole = 0
        for _ in 0..<60 {
            do throws(StoreError) {
                let file = try JournalFile(path: path, copiedTo: copies.path)
                #expect(try file.verify(problemsMax: 10).problems == [])
                #expect(Set(file.sessions.map(\.base)).count == 1, "\(file.sessions)")
                whole += 1
            } catch {
                #expect(error.code == .busy, "\(error)")
            }
        }
        isOver.withLock { $0 = true }
        try await written
        #expect(whole > 0)
    }

    @Test func `a damaged group is named, and what is before it is read`() async throws {
        try write(tidyAt: 20, imageAt: 17)
        try change(path) { bytes in
            let head = RecordFraming.frame([], number: 14).prefix(12)
            let place = try #require(Data(bytes).range(of: Data(head)))
            bytes[place.upperBound + 20] ^= 1
        }
        let (file, found) = try await read()
        let reason = "\(path): group 14: the checksum at byte 20 does not match"
        #expect(found["a"]?.record == 12 && found["a"]?.damage == reason)
        #expect(found["b"]?.record == 13 && found["b"]?.damage == reason)
        #expect(found["c"]?.record == 20 && found["c"]?.damage == nil)
        let problems = try file.verify(problemsMax: 10).problems
        #expect(problems.contains { $0.hasPrefix("group 14: ") }, "\(problems)")
        for name in ["a", "b"] {
            #expect(problems.contains("session '\(name)': \(reason)"), "\(problems)")
        }
    }

    @Test func `what is behind a damaged frame of the log is read`() async throws {
        try write(30, tidyAt: 10)
        try change(path + "-wal") { $0[32 + 6 * 4120 + 1000] ^= 1 }
        let (file, found) = try await read()
        #expect(file.problems.count == 1)
        #expect(file.problems.first?.hasPrefix("the log is damaged after ") == true)
        #expect(found.mapValues(\.record) == ["a": 30, "b": 28, "c": 29])
        #expect(found.values.allSatisfy { $0.damage == nil })
        #expect(try file.verify(problemsMax: 10).problems == file.problems)
        // Its worker would go on without them.
        #expect(try open().open().newest < 20)
    }

    @Test(arguments: ["", "-wal"])
    func `whatever bit is wrong, no session is other than it was`(suffix: String) async throws {
        try write(30, tidyAt: 10, imageAt: 17)
        let (database, log) = (try bytes(of: path), try bytes(of: path + "-wal"))
        let used = try #require((suffix == "" ? database : log).lastIndex { $0 != 0 })
        var randomness = Randomness(seed: 15)
        var whole = 0
        for _ in 0..<120 {
            try Data(database).write(to: URL(filePath: path))
            try Data(log).write(to: URL(filePath: path + "-wal"))
            let place = randomness.below(used)
            try change(path + suffix) { $0[place] ^= 1 << UInt8(randomness.below(8)) }
            do {
                let (file, found) = try await read()
                let damages = found.values.compactMap(\.damage)
                let newest = found.values.map(\.record).max() ?? 0
                // The newest commit may be one that was being written.
                let isTold = found.count < 3 || !damages.isEmpty || !file.problems.isEmpty
                #expect(newest >= 29 || isTold, "\(place)")
                if newest == 30, damages.isEmpty { whole += 1 }
            } catch let error as StoreError {
                #expect(error.path.hasPrefix(path) && error.code == .damaged, "\(place): \(error)")
            }
        }
        #expect(whole > 80)
    }

    @Test func `what is no journal is refused in words`() async throws {
        func refusal() -> StoreError? {
            do {
                _ = try JournalFile(path: path, copiedTo: copies.path)
                return nil
            } catch {
                return error
            }
        }
        let missing = refusal()
        #expect(missing?.description == "\(path): opening it: No such file or directory")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(refusal()?.description == "\(path): it is not a file")
        rmdir(path)
        for (text, reason) in [
            ("", "it is empty"), ("x", "cut off after 1 bytes"),
            (String(repeating: "text\n", count: 1000), "file is not a database"),
        ] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(refusal()?.detail.contains(reason) == true, "\(text.count)")
        }
        unlink(path)
        try write(tidyAt: 20)
        let log = try bytes(of: path + "-wal")
        unlink(path + "-wal")
        let (file, _) = try await read()
        #expect(file.problems.first?.hasPrefix("its log is missing, \(path)-wal") == true)
        // A copy has no log.
        try open().backUp(to: directory("copy"))
        let copy = try JournalFile(path: directory("copy"), copiedTo: copies.path)
        #expect(try copy.verify(problemsMax: 10).problems.isEmpty && copy.sessions.count == 3)
        unlink(path)
        try Data(log).write(to: URL(filePath: path + "-wal"))
        #expect(refusal()?.detail.contains("No such file") == true)
        unlink(path + "-wal")
        try write(tidyAt: 20)
        try change(path) { $0[63] = 2 }
        #expect(refusal()?.code == .version)
        #expect(refusal()?.description == "\(path): it is of version 2, and this program reads 1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).isEmpty)
    }
}
