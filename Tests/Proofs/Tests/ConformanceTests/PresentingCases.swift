// PresentingCases: section P.

import ConformanceCases
import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting

extension Case {
    static let presenting: [Case] = [
        .withFronts(
            "P1", "the newest state of every key is replayed on (re)attach",
            [
                "presentTitle(title: \"news\")", "presentCount(count: 3)",
                "+ stand; + page in left (embed)", "again:", "disconnected", "resumed",
                "presentTitle(title: \"news\")", "presentCount(count: 3)",
                "- stand; + stand; + page in left (embed)",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").show(title: "news")
            try await first.listener("a").count(to: 3)
            let second = try await setup.attach()
            let attached = second.pageLines()
            await second.front.disconnect()
            await second.front.reconnect()
            return attached + ["again:"] + second.pageLines()
        },
        .withFronts(
            "P2", "a slow front sees the last state; memory stays bounded",
            [
                "states that wait: 2", "bytes that wait: bounded", "newest: 200",
                "arrived late: bounded", "the other front has it: true",
            ]
        ) { setup in
            let fast = try await setup.attach()
            try await fast.stand.open("a", at: .left)
            let slow = try await setup.attach()
            slow.front.hold()
            // 3 MB of titles, each new throughout, so that no delta is shorter: more than sockets
            // and the worker keep for a front.
            let letters = ["x", "y"].map { String(repeating: $0, count: 16_384) }
            for round in 1...200 {
                let long = letters[round % 2]
                try await fast.listener("a").show(title: long + "\(round)")
                try await fast.listener("a").count(to: round)
            }
            // One turn's may come on top of the limit past which it counts as slow.
            let bytesMax = Limits.slowFrontBytes + 65_536
            // The kernel keeps some for either end of the connection.
            let lateMax = bytesMax + 1_000_000
            let waiting = try await setup.queues().fronts.map { ($0.states, $0.socketBytes) }
            let states = waiting.map(\.0).max() ?? 0
            let bytes = waiting.map(\.1).max() ?? 0
            let page = try slow.page("a")
            let wire = slow.front.wire
            let carried = wire.carried[.toFront] ?? 0
            slow.front.release()
            let last = await page.next { message -> Int? in
                if case .presentCount(200) = message { 200 } else { nil }
            }
            // What the worker and the kernel had kept for it.
            let late = (wire.carried[.toFront] ?? 0) - carried
            return [
                "states that wait: \(states)",
                "bytes that wait: \(bytes <= bytesMax ? "bounded" : "\(bytes)")",
                "newest: \(last)",
                "arrived late: \(late <= lateMax ? "bounded" : "\(late)")",
                "the other front has it: \(try fast.page("a").newestCount == 200)",
            ]
        },
        .withFronts(
            "P3", "effects arrive in order, at most once, never replayed",
            ["flashes: 1 2 3 4 5", "after coming back: none", "later: 1 2"]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            try await viewer.listener("a").flash(5)
            let before = try viewer.page("a").flashes
            await viewer.front.disconnect()
            await viewer.front.reconnect()
            try await viewer.stand.sync()
            let after = try viewer.page("a").flashes
            try await viewer.listener("a").flash(2)
            let later = try viewer.page("a").flashes
            return [
                "flashes: \(before)", "after coming back: \(after.isEmpty ? "none" : after)",
                "later: \(later)",
            ]
        },
        .withFronts(
            "P4", "what is of an older epoch is ignored",
            [
                "in flight: unknown", "old page: gone", "new page: [2]", "shows: 2",
                "late state: nil", "late effects: ",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            try await viewer.stand.open("a", at: .left)
            let old = try viewer.listener("a")
            async let hanging = Outcome.of { try await old.hang() }
            try await viewer.stand.noted("a hangs")
            let former = viewer.epoch
            // The same node numbers come again, in another tree.
            try await setup.restart()
            let inFlight = await hanging
            try await viewer.stand.open("a", at: .left)
            let late = await Outcome.of { _ = try await old.added() }
            await old.add(1)
            try await viewer.listener("a").add(2)
            try viewer.receive(.state, .presentCount(count: 99), of: "a", epoch: former)
            try viewer.receive(.effect, .flash(99), of: "a", epoch: former)
            try await viewer.stand.sync()
            let page = try viewer.page("a")
            return [
                "in flight: \(inFlight)", "old page: \(late)",
                "new page: \(try await viewer.listener("a").added())",
                "shows: \(viewer.front.nodes.count)",
                "late state: \(page.newestCount.map { "\($0)" } ?? "nil")",
                "late effects: \(page.flashes)",
            ]
        },
        .withFronts(
            "P5", "with no front attached, presenting does not block the interactor",
            ["ask: noFront", "counted", "ask: noFront", "newest: 10000"]
        ) { setup in
            // Of another session of that process: this one has no front that could tell.
            let neighbour = try await SessionSetup(setup.kind, "P5-neighbour")
            let other = try await neighbour.attach()
            let name = "\(setup.kind.rawValue)-p5"
            let first = try await setup.attach()
            try await first.stand.open(name, at: .left)
            try await first.listener(name).countAlone(to: 10_000)
            await first.front.detach()
            try await other.stand.heard("\(name) counted")
            await neighbour.end()
            let second = try await setup.attach()
            let notes = try await second.stand.notes()
            return notes.map { $0.hasSuffix("counted") ? "counted" : $0 }
                + ["newest: \(try second.page(name).newestCount ?? 0)"]
        },
        .withFronts(
            "P6", "a transition is one batch: no front ever shows half of it",
            ["+ page in left (embed)", "- page; + page in left (embed)", "- page"]
        ) { setup in
            let viewer = try await setup.attach()
            _ = viewer.journal.take()
            try await viewer.stand.open("a", at: .left)
            try await viewer.stand.swap("b", at: .left)
            try await viewer.stand.close(.left)
            return viewer.journal.take().filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
        },
        .withFronts(
            "P7", "two fronts see the same screen", ["the same: true", "lines: 8"]
        ) { setup in
            let first = try await setup.attach()
            let second = try await setup.attach()
            for viewer in [first, second] { _ = viewer.journal.take() }
            try await first.stand.open("a", at: .left)
            try await first.listener("a").flashAfter(title: "one")
            try await first.listener("a").openChild("b")
            try await second.stand.sync()
            try await second.listener("b").show(title: "two")
            try await second.stand.close(.left)
            for viewer in [first, second] { try await viewer.stand.sync() }
            let lines = [first, second].map { $0.journal.take() }
            return ["the same: \(lines[0] == lines[1])", "lines: \(lines[0].count)"]
        },
        .withFronts(
            "P8", "ask: noFront without one; with two the first answer wins, the other is told",
            ["yes", "other was told: true", "without a front: ask: noFront"]
        ) { setup in
            let first = try await setup.attach(answers: { $0 == "well?" ? true : nil })
            let second = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let answer = try await first.listener("a").ask("well?")
            try await second.stand.sync()
            let told = second.journal.lines.contains("ask ended")
            await second.front.detach()
            let page = try first.listener("a")
            async let unanswered: String? = {
                // The front that asked for it leaves before it could answer.
                try? await page.ask("nobody?")
            }()
            await first.journal.wait { $0.contains { $0.contains("nobody?") } }
            await first.front.detach()
            _ = await unanswered
            let third = try await setup.attach()
            try await third.stand.noted("ask: noFront")
            return [
                answer, "other was told: \(told)",
                "without a front: \(try await third.stand.notes().last ?? "")",
            ]
        },
        .withFronts(
            "P9", "an ask within a time: it is known who has answered; else it ends in time",
            ["yes from 2", "first was told: true", "deadlineExceeded", "second was told: true"]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            let second = try await setup.attach(answers: { $0 == "well?" ? true : nil })
            let page = try first.listener("a")
            let answer = try await page.ask("well?", within: 60_000)
            try await first.stand.sync()
            let firstWasTold = first.journal.lines.contains("ask ended")
            let late = try await page.ask("nobody?", within: 20)
            try await second.stand.sync()
            let secondWasTold = second.journal.lines.contains("ask ended")
            return [
                answer, "first was told: \(firstWasTold)", late,
                "second was told: \(secondWasTold)",
            ]
        },
    ]
}

extension Recording<Page> {
    /// The effects, in order.
    var flashes: String {
        messages.compactMap { message in
            if case .flash(let number) = message { "\(number)" } else { nil }
        }.joined(separator: " ")
    }

    var newestCount: Int? {
        newest { if case .presentCount(let count) = $0 { count } else { nil } }
    }
}

extension Viewer {
    /// The tree's that is shown; 0 before any is.
    var epoch: UInt32 { front.front.attached?.epoch ?? 0 }

    /// Has the front receive a frame as if the worker had sent it in that tree's time.
    func receive(
        _ kind: FrameKind, _ message: Page.Presenting.Message, of name: String, epoch: UInt32
    ) throws {
        guard let node = front.nodes.last(where: { $0.feature == Page.id }) else {
            throw Missing(what: "page \(name)")
        }
        let header = FrameHeader(
            kind, node: node.id, epoch: epoch, method: message.method.rawValue)
        front.wire.insert(
            try header.encoded { (writer) throws(CBORError) in
                try message.encode(into: &writer)
            }, .toFront)
    }

    /// Takes what the journal has, without the name of the feature.
    func pageLines() -> [String] {
        journal.take().map { line in
            line.hasPrefix("conformance.page ")
                ? String(line.dropFirst("conformance.page ".count)) : line
        }
    }
}
