// WireTests: a session keeps its promises on a line that slices, delays and breaks.

import ConformanceCases
import NapkinCore
import NapkinTesting
import Testing

extension AllLinks {
    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct WireTests {
        /// A page at the left, and a front whose connection goes through the wire.
        private func viewer(
            _ session: TestSession, _ wire: Wire = Wire()
        ) async throws -> Viewer {
            let views = Viewer.views { _ in nil }
            let front = try await session.attach(
                views.registry, journal: views.journal, through: wire)
            return Viewer(views, front)
        }

        @Test func `frames that come in single bytes are frames`() async throws {
            let session = await TestSession.launch(ConformanceApp.self)
            let wire = Wire()
            let viewer = try await viewer(session, wire)
            wire.piece = 1
            try await viewer.stand.open("a", at: .left)
            let page = try viewer.listener("a")
            for number in 0..<20 { dispatch { await page.add(number) } }
            #expect(try await page.added() == Array(0..<20))
            #expect(wire.carried.values.allSatisfy { $0 > 500 })
            await session.end()
        }

        @Test func `what is held is late, and not lost`() async throws {
            let session = await TestSession.launch(ConformanceApp.self)
            let wire = Wire()
            let (slow, other) = (try await viewer(session, wire), try await viewer(session))
            try await slow.stand.open("a", at: .left)
            try await other.stand.sync()
            wire.hold(.toSession)
            let page = try slow.listener("a")
            let late = dispatch { await page.add(1) }
            #expect(try await other.listener("a").added() == [])
            wire.release(.toSession)
            await late.value
            #expect(try await other.listener("a").added() == [1])
            await session.end()
        }

        @Test func `a line that breaks after any byte loses nothing and repeats nothing`()
            async throws
        {
            let session = await TestSession.launch(ConformanceApp.self)
            let wire = Wire()
            let viewer = try await viewer(session, wire)
            try await viewer.stand.open("a", at: .left)
            var sent = 0
            for direction in Wire.Direction.allCases {
                for count in stride(from: 1, to: 400, by: 7) {
                    let before = viewer.front.attachments
                    let page = try viewer.listener("a")
                    wire.cut(after: count, direction)
                    var events: [Task<Void, Never>] = []
                    for _ in 0..<8 {
                        events.append(dispatch { [sent] in await page.add(sent) })
                        sent += 1
                    }
                    for event in events { await event.value }
                    // Where so few bytes went this way that it held, it breaks now.
                    if wire.willBreak { wire.cut() }
                    await viewer.front.shows(moreThan: before)
                }
            }
            #expect(try await viewer.listener("a").added() == Array(0..<sent))
            #expect(!viewer.journal.lines.contains { $0.hasPrefix("event failed") })
            await session.end()
        }

        @Test func `S1: a front that is cut off in a transition shows it whole, as the others do`()
            async throws
        {
            let session = await TestSession.launch(ConformanceApp.self)
            let wire = Wire()
            let (cut, other) = (try await viewer(session, wire), try await viewer(session))
            try await other.stand.open("0", at: .left)
            let (transition, snapshot) = (
                "- page; + page in left (embed)", "- stand; + stand; + page in left (embed)"
            )
            var seen: Set<[String]> = []
            for count in stride(from: 1, to: 400, by: 3) {
                for viewer in [cut, other] {
                    try await viewer.stand.sync()
                    _ = viewer.journal.take()
                }
                let before = cut.front.attachments
                wire.cut(after: count, .toFront)
                try await other.stand.swap("\(count)", at: .left)
                // Where it takes fewer bytes than that, it breaks behind it.
                if wire.willBreak {
                    let title = #"conformance.page presentTitle(title: "\#(count)")"#
                    await cut.journal.wait(for: title)
                    wire.cut()
                }
                await cut.front.shows(moreThan: before)
                seen.insert(cut.takeMounts())
                #expect(other.takeMounts() == [transition])
                #expect(try cut.page("\(count)") === cut.views.newest(Page.self))
                #expect(cut.front.nodes.map(\.id) == other.front.nodes.map(\.id))
            }
            // Before the cut as a whole, or not at all; and then again with everything.
            #expect(seen == [[snapshot], [transition, snapshot]])
            await session.end()
        }

        @Test func `what is under way is told, and nothing is when all has ended`() async throws {
            let session = await TestSession.launch(ConformanceApp.self)
            let viewer = try await viewer(session)
            try await viewer.stand.open("a", at: .left)
            try await session.expectQuiescent()
            let page = try viewer.listener("a")
            let hanging = dispatch { _ = await Outcome.of { try await page.hang() } }
            try await viewer.stand.noted("a hangs")
            await #expect(throws: NotQuiescent.self) { try await session.expectQuiescent() }
            #expect(session.unfinished == ["1 running handlers", "1 events without a reply"])
            try await viewer.stand.close(.left)
            await hanging.value
            try await session.expectQuiescent()
            await session.end()
        }

        @Test func `what is left of a detached feature is told, with its owner's path`()
            async throws
        {
            let session = await TestSession.launch(ConformanceApp.self)
            let viewer = try await viewer(session)
            try await viewer.stand.open("a", at: .left)
            var kept = session.root.children.last
            try await viewer.stand.close(.left)
            await #expect(throws: NotQuiescent.self) { try await session.expectQuiescent() }
            #expect(session.remnants.contains { $0.hasSuffix("/left: the router") })
            #expect(kept != nil)
            kept = nil
            try await session.expectQuiescent()
            await session.end()
        }

        @Test func `nothing is left of a session that has ended, unless somebody keeps it`()
            async throws
        {
            let session = await TestSession.launch(ConformanceApp.self)
            let viewer = try await viewer(session)
            try await viewer.stand.open("a", at: .left)
            var kept: (any LaunchRouting)? = session.root
            await session.end()
            let left = await #expect(throws: NotQuiescent.self) {
                try await session.expectQuiescent()
            }
            #expect(left?.unfinished.contains { $0.hasSuffix(": the router") } == true)
            #expect(kept != nil)
            kept = nil
            try await session.expectQuiescent()
            #expect(session.remnants == [])
            // Once more is nothing.
            await session.end()
        }

        @Test func `who wants the tree of a session that has ended is told so`() async {
            await #expect(processExitsWith: .failure) { @MainActor in
                let session = await TestSession.launch(ConformanceApp.self)
                await session.end()
                _ = session.root
            }
        }
    }

    @Suite(.timeLimit(.minutes(10)))
    struct ManualClockTests {
        @Test func `sleepers wake in the order of their deadlines, and not before`() async {
            let (clock, journal) = (ManualClock(), Journal())
            await withTaskGroup { group in
                for seconds in [3, 1, 2] {
                    group.addTask {
                        do {
                            try await clock.sleep(for: .seconds(seconds))
                            journal.note("\(seconds)")
                        } catch {
                            journal.note("cancelled")
                        }
                    }
                }
                await clock.waitForSleepers(3)
                clock.advance(by: .milliseconds(999))
                #expect(clock.sleeperCount == 3)
                for line in ["1", "2", "3"] {
                    await clock.wakeNext()
                    await journal.wait(for: line)
                }
            }
            #expect(journal.lines == ["1", "2", "3"])
            #expect(clock.now.offset == .seconds(3))
        }

        @Test func `a sleeper that is cancelled wakes at once, also before it sleeps`() async {
            let clock = ManualClock()
            let asleep = Task { try await clock.sleep(for: .seconds(1)) }
            await clock.waitForSleeper()
            asleep.cancel()
            await #expect(throws: CancellationError.self) { try await asleep.value }
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await clock.sleep(for: .seconds(1))
            }
            await #expect(throws: CancellationError.self) { try await early.value }
            #expect(clock.sleeperCount == 0)
        }
    }
}
