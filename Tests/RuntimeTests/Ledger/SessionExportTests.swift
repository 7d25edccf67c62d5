// SessionExportTests: a session leaves its journal and comes back, or is refused.

import NapkinCore
import NapkinTransport
import Testing

@testable import NapkinLedger

@MainActor
struct SessionExportTests {
    private var image: SessionImage {
        get throws {
            var image = SessionImage(
                session: 3, title: SessionTitle(name: "lunch", id: "lunch", epoch: 7))
            var record = Record(session: 3)
            record.fronts = [FrontChange(front: 1, started: 0)]
            record.attached = [
                AttachedNode(number: 1, parent: 0, slot: "launch", feature: "a", arguments: []),
                AttachedNode(
                    number: 2, parent: 1, slot: "page", feature: "b", arguments: [0xA0], front: 1),
            ]
            record.states = [StateChange(number: 1, whole: [0x05])]
            record.logs = [LogOffset(number: 1, method: 9, next: 4)]
            record.answers = [EventAnswer(front: 1, sequence: 2, frame: [1, 2, 3])]
            try image.apply(record)
            return image
        }
    }

    private func refuses(_ file: [UInt8]) async -> Bool {
        do {
            _ = try await SessionExport.read(file)
            return false
        } catch {
            return true
        }
    }

    @Test func `a file is read as it was written, and says whose it is`() async throws {
        let file = try await SessionExport.file(of: image, app: "house", record: 12)
        let (export, read) = try await SessionExport.read(file)
        #expect(try read.encoded() == image.encoded())
        #expect(export.app == "house" && export.session == "lunch" && export.record == 12)
        #expect(file.starts(with: Array("NKX1".utf8)))
    }

    @Test func `a file that is cut anywhere, or has any bit changed, is refused`() async throws {
        let file = try await SessionExport.file(of: image, app: "house", record: 12)
        for end in 0..<file.count { #expect(await refuses(Array(file[..<end])), "\(end)") }
        #expect(await refuses(file + [0]))
        for bit in 0..<file.count * 8 {
            var altered = file
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(await refuses(altered), "\(bit)")
        }
    }

    @Test func `an image that no records can have made is refused`() async throws {
        let changes: [(inout SessionImage) -> Void] = [
            { $0.title.epoch = 0 }, { $0.nodes[1].place.parent = 5 },
            { $0.nodes[1].place.number = 1 }, { $0.newestNode = 1 }, { $0.nodes[0].schema = 1 },
            { $0.newestFront = 0 }, { $0.fronts.append($0.fronts[0]) },
            { $0.nodes[0].place.number = 0 },
        ]
        for change in changes {
            var altered = try image
            change(&altered)
            let file = try await SessionExport.file(of: altered, app: "house", record: 12)
            #expect(await refuses(file))
        }
    }

    @Test func `a session that goes back keeps its fronts and numbers`() throws {
        let old = try image
        var now = old
        var record = Record(session: 3)
        record.title = SessionTitle(name: "dinner", id: "lunch", epoch: 7)
        record.fronts = [FrontChange(front: 1), FrontChange(front: 2, started: 0)]
        record.detached = [2]
        record.attached = [
            AttachedNode(number: 3, parent: 1, slot: "x", feature: "c", arguments: [])
        ]
        record.states = [StateChange(number: 1, whole: [0x06])]
        record.logs = [LogOffset(number: 1, method: 9, next: 8)]
        record.begun = [BegunEvent(front: 2, sequence: 1, node: 1, method: 1)]
        try now.apply(record)
        let back = old.resumed(after: now)
        #expect(back.title.name == "dinner" && back.fronts == now.fronts)
        #expect(back.newestNode == 3 && back.newestFront == 2)
        // The page of a front that is gone is not there again.
        #expect(back.nodes.map(\.place.number) == [1] && back.nodes[0].state == [0x05])
        #expect(back.nodes[0].logs?.first?.next == 8)
        #expect(try SessionImage(decoding: back.encoded()) == back)
    }

    @Test func `a copy does nothing of what its first session does by itself`() throws {
        var first = try image
        var record = Record(session: 3)
        record.timers = [
            TimerImage(id: 1, node: 1, name: "tea", due: 5, missed: 0, payload: [])
        ]
        record.jobs = [
            JobImage(
                id: 2, node: 1, key: [UInt8](repeating: 7, count: 16), payload: [], due: 5,
                attempts: 0)
        ]
        record.inputs = [BegunInput(id: 3, node: 1, method: "m", name: "n")]
        try first.apply(record)
        let copy = first.copied(as: "dinner", id: "dinner-2", epoch: 8)
        #expect(copy.timers.isEmpty && copy.jobs.isEmpty && DueImage(copy).earliest() == nil)
        #expect(copy.title == SessionTitle(name: "dinner", id: "dinner-2", epoch: 8))
        // What was under way is interrupted in both, and no number is given twice.
        #expect(copy.inputs == first.inputs && copy.newestInput == first.newestInput)
        #expect(copy.nodes == first.nodes && copy.fronts == first.fronts)
    }

    @Test func `a session that was replaced is what the next opening finds`() async throws {
        let store = MemoryStore()
        let journal = try Journal(durability: .process, store)
        try await journal.tools.adopt(try image)
        #expect(journal.sessions.names == ["lunch"])
        var other = try image
        other.title.name = "dinner"
        try await journal.tools.adopt(other)
        await #expect(throws: ToolError.self) { try await journal.tools.adopt(try self.image) }
        var changed = try #require(try await journal.image(named: "lunch"))
        changed.nodes[0].state = [0x07]
        try await journal.tools.rewind(to: changed)
        let check = try await journal.tools.verify(problemsMax: 10)
        #expect(check.problems == [] && check.sessions == 2 && check.groups == 3)
        let reopened = try Journal(durability: .process, store)
        #expect(try await reopened.image(named: "lunch")?.nodes[0].state == [0x07])
        #expect(try await reopened.tools.list().map(\.session.name) == ["dinner", "lunch"])
        journal.end("lunch")
        await #expect(throws: ToolError.self) { try await journal.tools.rewind(to: changed) }
    }
}
