// ShortageTests: a disk that is full, before a handler has run and after it.
//
// Isolation  @MainActor (main queue, loop embedded).

import Glibc
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

private let mebibyte = 1024 * 1024

extension RuntimeTests {
    private func teach(_ interactor: SumActor) async {
        await interactor.teach("add") { $0.state.sum += 1 }
        await interactor.teach("grow") {
            $0.state.sum += 1
            $0.state.ballast = [UInt8](repeating: 1, count: 3 * mebibyte)
        }
    }

    @Test(arguments: [Durability.process, .machine])
    func `U15: without room no event runs, and with room again they do`(durability: Durability)
        async throws
    {
        let store = MemoryStore(room: 4 * mebibyte)
        let setup = try await LedgerSetup(store, durability)
        await teach(setup.interactor)
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let listener = setup.listener(viewer, try #require(setup.router.core.node?.id))
        #expect(try await listener.act("add") == 1)
        store.setRoom(100_000)
        #expect(try await listener.act("add") == 2)
        let fault = await #expect(throws: RemoteFault.self) { try await listener.act("add") }
        #expect(fault?.code == .overloaded)
        #expect(fault?.message.contains("no room") == true, "\(fault?.message ?? "")")
        store.setRoom(4 * mebibyte)
        let deadline = ContinuousClock.now + .seconds(20)
        while setup.journal.refusal != nil, .now < deadline { await turn() }
        #expect(try await listener.act("add") == 3)
        await setup.end()
    }

    @Test func `without room a read-only front's own page runs no event either`() async throws {
        let store = MemoryStore(room: 4 * mebibyte)
        let setup = try await LedgerSetup(store)
        let own = FrontSlot<Total>("own")
        await setup.router.attach(own) { _, _, view in SumActor(presenter: view.presenter) }
        await teach(setup.interactor)
        let writer = try setup.attach()
        let reader = try setup.attach(Attach(isReadOnly: true))
        for viewer in [writer, reader] { await viewer.waitForSnapshot() }
        let root = setup.listener(writer, try #require(setup.router.core.node?.id))
        let page = setup.listener(reader, 3)
        // Nobody has taught the page anything, which its handler says.
        #expect(await fault { try await page.act("add") }?.code == .failed)
        store.setRoom(100_000)
        #expect(try await root.act("add") == 1)
        #expect(await fault { try await page.act("add") }?.code == .overloaded)
        await setup.end()
    }

    @Test(arguments: [Durability.process, .machine])
    func `a change for which there is no room waits, and the front is told`(durability: Durability)
        async throws
    {
        let store = MemoryStore(room: 2 * mebibyte)
        let setup = try await LedgerSetup(store, durability)
        await teach(setup.interactor)
        let told = Latch()
        setup.journal.onFailure = { Issue.record("the journal failed: \($0)") }
        setup.journal.onShortage = { shortage in
            if shortage == nil { return }
            setup.session.roomIsMissing()
            told.open()
        }
        let front = FrontSession(client: "visitor") { _ in nil }
        let viewer = try setup.attach(as: front)
        await viewer.waitForSnapshot()
        let listener = setup.listener(viewer, try #require(setup.router.core.node?.id))
        let answer = Task { try await listener.act("grow") }
        await told.wait()
        await viewer.waitForEnd()
        #expect(viewer.lines.last?.contains("no room") == true, "\(viewer.lines)")
        #expect(setup.journal.isWaitingForRoom)
        // Tools read what is stored, and write nothing that would wait.
        let tools = setup.journal.tools
        #expect(try await tools.verify(problemsMax: 1).problems == [])
        let name = try #require(try await tools.list().first).session.name
        let image = try await #require(try await tools.history(of: name)).image()
        await #expect(throws: ToolError.self) { try await tools.rewind(to: image) }
        // So it is for each front that comes meanwhile.
        let other = try setup.attach()
        await other.waitForEnd()
        #expect(other.lines.last?.contains("no room") == true, "\(other.lines)")
        store.setRoom(8 * mebibyte)
        await setup.journal.waitUntilDurable()
        let again = try setup.attach(as: front)
        await again.waitForSnapshot()
        // The answer was kept: the handler has not run twice.
        #expect(try await answer.value == 1)
        front.close()
        await setup.end()
    }

    @Test(arguments: [Durability.process, .machine])
    func `a session is said to be stored once it would outlive a death`(durability: Durability)
        async throws
    {
        final class Told { var names: [String] = [] }
        let store = MemoryStore(room: 0)
        let setup = try await LedgerSetup(store, durability)
        let (told, waits) = (Told(), Latch())
        setup.journal.onStored = { told.names.append($0) }
        setup.journal.onShortage = { if $0 != nil { waits.open() } }
        await waits.wait()
        #expect(setup.journal.sessions.holds("library") && !setup.journal.sessions.keeps("library"))
        setup.session.rename(to: "archive")
        store.setRoom(8 * mebibyte)
        await setup.journal.waitUntilDurable()
        #expect(told.names == ["archive"] && setup.journal.sessions.keeps("archive"))
        await setup.end()
    }

    @Test func `a front that comes in the turn that finds no room is told so`() async throws {
        let store = MemoryStore(room: 4 * mebibyte)
        let setup = try await LedgerSetup(store)
        await setup.journal.waitUntilDurable()
        setup.journal.onShortage = { if $0 != nil { setup.session.roomIsMissing() } }
        store.setRoom(0)
        let (near, descriptor) = try Channel.pair()
        let door = AttachReceiver(setup.session, try Channel.adopt(descriptor: descriptor))
        // Recorded before the welcome has left.
        door.joined = { setup.session.rename(to: "archive") }
        let viewer = Viewer(near)
        await viewer.waitForEnd()
        #expect(setup.journal.isWaitingForRoom)
        #expect(viewer.lines.last?.contains("no room") == true, "\(viewer.lines)")
        await setup.end()
    }

    @Test func `images for which there is no room at the start are kept in memory`() async throws {
        let store = MemoryStore(room: 4 * mebibyte)
        let first = try await LedgerSetup(store)
        await teach(first.interactor)
        let viewer = try first.attach()
        await viewer.waitForSnapshot()
        let listener = first.listener(viewer, try #require(first.router.core.node?.id))
        for sum in 1...3 { #expect(try await listener.act("add") == sum) }
        first.ledger.close()
        await first.end()
        let before = try #require(try store.sessions().first)
        let expected = first.ledger.image
        store.setRoom(0)
        for _ in 0..<2 {
            let journal = try Journal(durability: .process, store)
            #expect(journal.refusal != nil)
            var found = try #require(try await journal.image(named: "library"))
            // What is confirmed need not be stored.
            for index in found.fronts.indices { found.fronts[index].answers = [] }
            var image = expected
            for index in image.fronts.indices { image.fronts[index].answers = [] }
            #expect(found.nodes == image.nodes && found.title == image.title)
            #expect(try store.sessions().first == before)
        }
        store.setRoom(4 * mebibyte)
        let journal = try Journal(durability: .process, store)
        #expect(journal.refusal == nil)
        // Fronts come first.
        #expect(try store.sessions().first == before)
        let deadline = ContinuousClock.now + .seconds(20)
        while try store.sessions().first == before, .now < deadline { await turn() }
        #expect(try store.sessions().first?.base == (try store.open().newest))
    }

    @Test func `where removed files cannot be written again, no event runs until they can`()
        async throws
    {
        let home = "/tmp/napkin-removed-\(getpid())"
        let files = [home + "/ledger", home + "/ledger-wal"]
        mkdir(home, 0o700)
        defer {
            for file in files { unlink(file) }
            rmdir(home)
        }
        let journal = try Journal(
            durability: .process, SQLiteStore(path: home + "/ledger", durability: .process))
        for file in files { unlink(file) }
        try #require(rmdir(home) == 0)
        close(creat(home, 0o600))
        let deadline = ContinuousClock.now + .seconds(10)
        while journal.refusal == nil, .now < deadline { await turn() }
        #expect(journal.refusal?.contains("cannot be written again") == true)
        unlink(home)
        while journal.refusal != nil, .now < deadline { await turn() }
        #expect(journal.refusal == nil)
    }
}
