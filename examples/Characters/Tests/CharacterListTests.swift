// CharacterListTests: the list as a front sees it: pages, problems, recovery, and what overlaps.

import CharactersContract
import CharactersNetworking
import NapkinCore
import NapkinTesting
import Testing

@testable import CharactersFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CharacterListTests {
    private static let first = "list 2 of 5: ann 1, bob 1 +"

    @Test("a list begins by loading, and shows its first page")
    func begins() async throws {
        try await Porch.open(server: FakeServer(isHeld: true)) { porch in
            #expect(porch.list == "list 0 of 0 …: ")
            porch.server.release()
            await porch.shows(Self.first)
        }
    }

    @Test("pages follow one another up to the last")
    func pages() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            try await porch.listener.didTapMore()
            #expect(porch.list == "list 4 of 5: ann 1, bob 1, cal 1, dot 1 +")
            try await porch.listener.didTapMore()
            #expect(porch.list == "list 5 of 5: ann 1, bob 1, cal 1, dot 1, eve 1")
            try await porch.listener.didTapMore()
            #expect(porch.server.journal.lines == ["page 1", "page 2", "page 3"])
        }
    }

    // MARK: - Problems

    @Test(
        "each problem is shown as what it is, and is over when the server is well again",
        arguments: [
            (FakeServer.Mode.offline, "offline"), (.garbage, "bad data"), (.silent, "timeout 3 s"),
        ])
    func recovers(trouble: (mode: FakeServer.Mode, words: String)) async throws {
        try await Porch.open(server: FakeServer(trouble.mode)) { porch in
            if trouble.mode == .silent { await porch.clock.pass(.seconds(3)) }
            await porch.shows("list 0 of 0:  | \(trouble.words)")
            porch.server.mode = .sound
            try await porch.listener.didTapRefresh()
            #expect(porch.list == Self.first)
            // The retry that was waiting has nothing to do any more.
            await porch.clock.pass(Loads.retryAfter)
            try await porch.listener.didTapRefresh()
            #expect(porch.server.count(of: "page 1") == 3)
        }
    }

    @Test("a server that comes back is found without anybody")
    func retries() async throws {
        try await Porch.open(server: FakeServer(.offline)) { porch in
            // Less and less often: it does not know whether somebody looks.
            for (count, seconds) in [5, 10, 20, 40, 60, 60].enumerated() {
                await porch.clock.pass(.seconds(seconds))
                await porch.server.journal.wait { $0.count == count + 2 }
            }
            await porch.clock.waitForSleeper(for: Loads.retryAfterMax)
            porch.server.mode = .sound
            await porch.clock.pass(Loads.retryAfterMax)
            await porch.shows(Self.first)
            #expect(porch.clock.sleeperCount == 0)
            // Whoever looks on has seen the problem until it was over.
            let lines = porch.journal.lines.filter { $0.hasPrefix("list") }
                .drop { !$0.contains("offline") }
            #expect(lines.dropLast().allSatisfy { $0.contains("offline") }, "\(lines)")
        }
    }

    @Test("who refreshes begins anew with the waiting")
    func retriesSoonAgain() async throws {
        try await Porch.open(server: FakeServer(.offline)) { porch in
            await porch.clock.pass(Loads.retryAfter)
            await porch.clock.waitForSleeper(for: Loads.retryAfter * 2)
            try await porch.listener.didTapRefresh()
            #expect(porch.server.journal.lines.count == 3)
            await porch.clock.pass(Loads.retryAfter)
            await porch.server.journal.wait { $0.count == 4 }
        }
    }

    @Test("what was there stays when a refresh fails, and says its age")
    func keepsRows() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            porch.server.mode = .offline
            porch.clock.advance(by: .seconds(30))
            try await porch.listener.didTapRefresh()
            #expect(porch.list == "\(Self.first) | 30 s old | offline")
            porch.server.mode = .sound
            porch.server.version = 2
            try await porch.listener.didTapRefresh()
            #expect(porch.list == "list 2 of 5: ann 2, bob 2 +")
        }
    }

    @Test("settings that cannot be used are said, and nobody is asked")
    func refuses() async throws {
        let component = AppComponent(
            settings: .failure(.init(description: "no such port")), cache: "/nowhere")
        let session = await TestSession.launch(
            CharactersApp.makeRoot(component), features: CharactersApp.features)
        let views = RecordingViews().record(CharacterList.self)
        _ = try await session.attach(views)
        let model = await views.newest(CharacterList.self)?.next {
            if case .presentList(let model) = $0 { model } else { nil }
        }
        #expect(model?.problem == .settings(reason: "no such port"))
        await session.end()
    }

    // MARK: - Policies

    @Test("a stale list is shown at once, and then the present")
    func isStale() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            porch.clock.advance(by: .seconds(61))
            porch.server.version = 2
            porch.server.hold()
            let listener = try porch.listener
            let tap = dispatch { await listener.didChoose(policy: .localFirst) }
            await porch.shows("list 2 of 5 …: ann 1, bob 1 + | 61 s old")
            porch.server.release()
            await tap.value
            #expect(porch.list == "list 2 of 5: ann 2, bob 2 +")
        }
    }

    @Test("a policy holds from its choice on")
    func chooses() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            try await porch.listener.didChoose(policy: .remoteFirst)
            #expect(porch.list == "\(Self.first) | remoteFirst")
            #expect(porch.server.count(of: "page 1") == 2)
            porch.server.mode = .offline
            try await porch.listener.didChoose(policy: .remoteFirst)
            #expect(porch.list == "\(Self.first) | remoteFirst | 0 s old | offline")
            try await porch.listener.didChoose(policy: .none)
            #expect(porch.list?.hasSuffix("| none | 0 s old | offline") == true)
            try await porch.listener.didChoose(policy: .localFirst)
            #expect(porch.list == Self.first)
            #expect(porch.server.count(of: "page 1") == 4)
        }
    }

    // MARK: - What overlaps

    @Test("two refreshes at once make one request, and both end")
    func refreshesTwice() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            porch.server.version = 2
            porch.server.hold()
            let listener = try porch.listener
            let taps = (1...2).map { _ in dispatch { await listener.didTapRefresh() } }
            let repository = try porch.repository
            while repository.pageWaiters(1) < taps.count { await Task.yield() }
            porch.server.release()
            for tap in taps { await tap.value }
            #expect(porch.server.count(of: "page 1") == 2)
            #expect(porch.list == "list 2 of 5: ann 2, bob 2 +")
            // The older of the two has had nothing to show.
            #expect(porch.journal.lines.count { $0 == "list 2 of 5: ann 2, bob 2 +" } == 1)
        }
    }

    @Test("a page that comes behind a refresh is dropped")
    func dropsPage() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            porch.server.hold()
            let listener = try porch.listener
            let more = dispatch { await listener.didTapMore() }
            await porch.server.journal.wait(for: "page 2")
            porch.server.version = 2
            let refresh = dispatch { await listener.didTapRefresh() }
            await porch.server.journal.wait { $0.count { $0 == "page 1" } == 2 }
            porch.server.release("page 1", keepsHolding: true)
            await refresh.value
            #expect(porch.list == "list 2 of 5: ann 2, bob 2 +")
            porch.server.release()
            await more.value
            #expect(porch.list == "list 2 of 5: ann 2, bob 2 +")
            // Nothing is in the way of the next one.
            try await porch.listener.didTapMore()
            #expect(porch.list?.hasPrefix("list 4 of 5: ann 2, bob 2, cal") == true)
        }
    }

    @Test("a second tap for more asks once")
    func asksOnce() async throws {
        try await Porch.open { porch in
            await porch.shows(Self.first)
            porch.server.hold()
            let listener = try porch.listener
            let more = dispatch { await listener.didTapMore() }
            await porch.server.journal.wait(for: "page 2")
            await listener.didTapMore()
            porch.server.release()
            await more.value
            #expect(porch.list == "list 4 of 5: ann 1, bob 1, cal 1, dot 1 +")
            #expect(porch.server.count(of: "page 2") == 1)
        }
    }

    @Test("a session that ends while it loads leaves nothing")
    func leavesNothing() async throws {
        try await Porch.open(server: FakeServer(.silent)) { porch in
            await porch.server.journal.wait(for: "page 1")
            await porch.session.end()
            await porch.server.journal.wait(for: "gone page 1")
            #expect(porch.clock.sleeperCount == 0)
            #expect(porch.session.unfinished == [])
        }
    }
}
