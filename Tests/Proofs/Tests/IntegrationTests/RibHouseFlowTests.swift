// RibHouseFlowTests: Rib House end to end, through napkind, its worker and control fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RibHouseFlowTests {
    private func withFront(
        tick: Double = 3600, _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let place = Workplace(tick: tick)
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await body(place, front)
    }

    /// Returns when the front shows the board with all that is presented on it.
    private func showsBoard(_ front: ControlFront) async throws {
        try await front.shows { screen in
            ["present(sections:)", "present(specials:)"].allSatisfy {
                screen.value(Feature.pitBoard, $0) != nil
            }
        }
    }

    @Test func `the first screen is launch with logged out`() async throws {
        try await withFront { _, front in
            try await front.mounts(Feature.loggedOut)
            #expect(front.screen.features == [Feature.launch, Feature.loggedOut])
        }
    }

    /// What the pit shows at first, and after each of twelve ticks.
    private static let summaries = [
        "2 SMOKING · 1 RESTING", "1 SMOKING · 2 RESTING", "1 SMOKING · 1 RESTING",
        "0 SMOKING · 2 RESTING", "0 SMOKING · 1 RESTING", "1 SMOKING · 1 RESTING",
        "0 SMOKING · 2 RESTING", "0 SMOKING · 1 RESTING", "0 SMOKING · 0 RESTING",
        "1 SMOKING · 0 RESTING", "0 SMOKING · 1 RESTING", "0 SMOKING · 0 RESTING",
        "2 SMOKING · 1 RESTING",
    ]

    @Test func `the golden twelve ticks pass through two processes`() async throws {
        let lastCalls = [1: "Brisket", 3: "Pulled Pork", 6: "St. Louis Ribs", 10: "Smoked Sausage"]
        try await withFront(tick: 0.15) { _, front in
            try await front.login()
            var tick = 0
            var banner: String?
            while tick <= 12 {
                let first = tick == 0 ? front.firstSummary : nil
                let line: ControlLine
                if let first {
                    line = first
                } else {
                    line = try await front.reads {
                        $0.isState("present(pitSummary:)") || $0.isState("present(banner:)")
                    }
                }
                if line.key == "present(banner:)" {
                    banner = line.object["value"] as? String ?? banner
                    continue
                }
                #expect(line.object["value"] as? String == Self.summaries[tick], "tick \(tick)")
                if let item = lastCalls[tick] {
                    #expect(banner == "LAST CALL · \(item)", "tick \(tick): before its summary")
                }
                banner = nil
                tick += 1
            }
        }
    }

    @Test func `login, pit board, back, pit board again, logout`() async throws {
        try await withFront { _, front in
            try await front.login()
            #expect(front.screen.features == [Feature.launch, Feature.loggedIn])
            for _ in 0..<2 {
                #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
                // What a handler routed is shown before its reply.
                #expect(front.screen.features.contains(Feature.pitBoard))
                #expect(front.screen.value(Feature.pitBoard, "present(specials:)") != nil)
                #expect(try await front.call(Feature.pitBoard, "didTapBack()").isOK)
                #expect(!front.screen.features.contains(Feature.pitBoard))
            }
            #expect(try await front.call(Feature.loggedIn, "didTapLogout()").isOK)
            try await front.mounts(Feature.loggedOut)
            #expect(front.screen.features == [Feature.launch, Feature.loggedOut])
        }
    }

    @Test func `a double tap mounts one board`() async throws {
        try await withFront { _, front in
            try await front.login()
            try front.send(Feature.loggedIn, "didTapPitBoard()")
            try front.send(Feature.loggedIn, "didTapPitBoard()")
            try await front.reads { $0.type == "reply" }
            try await front.reads { $0.type == "reply" }
            #expect(front.mountCount(Feature.pitBoard) == 1)
        }
    }

    @Test func `a double login leaves one user`() async throws {
        try await withFront { _, front in
            try await front.mounts(Feature.loggedOut)
            try front.send(Feature.loggedOut, "didTapLogin()")
            try front.send(Feature.loggedOut, "didTapLogin()")
            try await front.reads { $0.type == "reply" }
            try await front.reads { $0.type == "reply" }
            try await front.mounts(Feature.loggedIn)
            #expect(front.mountCount(Feature.loggedIn) == 1)
        }
    }

    @Test func `logout with the board pushed leaves launch and logged out`() async throws {
        try await withFront { _, front in
            try await front.login()
            try await front.call(Feature.loggedIn, "didTapPitBoard()")
            try await front.call(Feature.loggedIn, "didTapLogout()")
            try await front.mounts(Feature.loggedOut)
            #expect(front.screen.features == [Feature.launch, Feature.loggedOut])
        }
    }

    @Test func `the swap at login is one batch: no line between shows half of it`() async throws {
        try await withFront { _, front in
            try await front.login()
            let unmount = front.seen.firstIndex { $0.type == "unmount" }
            let start = try #require(unmount)
            // Its first states travel in the same batch.
            try await front.shows { $0.value(Feature.loggedIn, "present(foods:)") != nil }
            #expect(front.seen[start + 1].isMount(Feature.loggedIn))
            #expect(front.seen[start + 2].type == "state")
        }
    }

    @Test func `the pit keeps its items across a second login`() async throws {
        try await withFront(tick: 0.1) { _, front in
            try await front.login()
            try await front.reads {
                $0.isState("present(pitSummary:)")
                    && $0.object["value"] as? String == "0 SMOKING · 2 RESTING"
            }
            // What was shown last is what it keeps; a tick after the screen has gone is not shown.
            try await front.call(Feature.loggedIn, "didTapLogout()")
            let last = front.seen.last { $0.isState("present(pitSummary:)") }?.object["value"]
            let kept = zip(Self.summaries, Self.summaries.dropFirst())
                .filter { $0.0 == last as? String }.flatMap { [$0.0, $0.1] }
            let seen = front.seen.count
            try await front.login()
            try await front.shows { $0.value(Feature.loggedIn, "present(pitSummary:)") != nil }
            // It may have come before the tap was answered.
            let first = front.seen.dropFirst(seen).first { $0.isState("present(pitSummary:)") }
            let summary = try #require(first?.object["value"] as? String)
            #expect(kept.contains(summary))
        }
    }

    @Test func `S14: two fronts show the same screen`() async throws {
        try await withFront { place, first in
            let second = try await place.front()
            try await first.login()
            try await second.mounts(Feature.loggedIn)
            try await second.call(Feature.loggedIn, "didTapPitBoard()")
            try await showsBoard(second)
            let shown = second.screen
            try await first.shows { $0 == shown }
            #expect(first.screen.features.count == 3)
        }
    }

    @Test func `a front killed with -9 and attached again shows the same screen`() async throws {
        try await withFront { place, front in
            try await front.login()
            try await front.call(Feature.loggedIn, "didTapPitBoard()")
            try await showsBoard(front)
            front.child.signal(SIGKILL)
            #expect(await front.child.exit() == -SIGKILL)
            let again = try await place.front()
            try await again.shows { $0 == front.screen }
        }
    }

    @Test
    func `S2: with the board pushed, a worker killed with -9 comes back with the same screen`()
        async throws
    {
        try await withFront { place, front in
            try await front.login()
            try await front.call(Feature.loggedIn, "didTapPitBoard()")
            try await showsBoard(front)
            let shown = front.screen
            for _ in 1...2 {
                let worker = try await place.workerPID()
                kill(worker, SIGKILL)
                let resumed = try await front.reads { $0.type == "resumed" }
                #expect(resumed.object["lost"] as? Int == 0)
                try await front.shows { $0 == shown }
                #expect(try await place.workerPID() != worker)
                let other = try await place.front()
                try await other.shows { $0 == shown }
            }
            #expect(try await front.call(Feature.pitBoard, "didTapBack()").isOK)
            #expect(front.screen.features == [Feature.launch, Feature.loggedIn])
        }
    }

    @Test func `the pit goes on where it was when its worker was killed`() async throws {
        try await withFront(tick: 0.3) { place, front in
            let worker = try await place.workerPID()
            try await front.login()
            // After three ticks, or more if this process has to wait: the pit goes round.
            try await front.reads {
                $0.isState("present(pitSummary:)")
                    && $0.object["value"] as? String == "0 SMOKING · 2 RESTING"
            }
            kill(worker, SIGKILL)
            var shown = "0 SMOKING · 2 RESTING"
            try await front.reads { line in
                if line.isState("present(pitSummary:)") {
                    shown = line.object["value"] as? String ?? shown
                }
                return line.type == "resumed"
            }
            let next = try await front.reads { $0.isState("present(pitSummary:)") }
            let summary = try #require(next.object["value"] as? String)
            // It may have ticked once without being shown.
            let ticks = Self.summaries.indices.dropLast()
            let expected = ticks.filter { Self.summaries[$0] == shown }
                .flatMap { index in (0...2).map { Self.summaries[(index + $0) % ticks.count] } }
            #expect(expected.contains(summary), "\(summary) after \(shown)")
            try await front.call(Feature.loggedIn, "didTapLogout()")
            kill(try await place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.shows { $0.features == [Feature.launch, Feature.loggedOut] }
        }
    }

    @Test func `end of input detaches with status 0, and the session goes on`() async throws {
        try await withFront { place, front in
            try await front.login()
            front.child.closeInput()
            #expect(await front.child.exit() == 0)
            let again = try await place.front()
            try await again.mounts(Feature.loggedIn)
        }
    }

    @Test func `sessions are apart from one another`() async throws {
        try await withFront { place, front in
            let other = try await place.front(["--session", "other"])
            try await front.login()
            try await other.mounts(Feature.loggedOut)
            let (status, lines, _) = try await place.run(["ls", "--json"])
            #expect(status == 0)
            let names = try JSON.array(lines.joined()).compactMap { $0["session"] as? String }
            #expect(names == ["other", "rib-house"])
        }
    }

    @Test func `mistakes in events get a reply that says what is wrong`() async throws {
        try await withFront { _, front in
            try await front.login()
            let unknown = try await front.call(Feature.loggedIn, "didTapNothing()")
            #expect(!unknown.isOK)
            let gone = try await front.call(Feature.pitBoard, "didTapBack()")
            #expect(!gone.isOK)
            try front.child.write("this is no JSON")
            let garbage = try await front.reads { $0.type == "reply" }
            #expect(!garbage.isOK)
            #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        }
    }
}
