// OwnPageCases: section F.

import ConformanceCases
import NapkinCore
import NapkinTesting

extension Case {
    static let ownPages: [Case] = [
        .withFronts(
            "F1", "one child for each front, attached when it joins, before its first screen",
            [
                "first: + page in own (embed)",
                "second: + stand; + page in left (embed); + page in own (embed)",
                "first then: ", "titles: own 1, own 2",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            _ = first.journal.take()
            try await first.listener("a").openOwn()
            let opened = first.takeMounts()
            let second = try await setup.attach()
            let shown = second.takeMounts()
            try await first.stand.sync()
            return [
                "first: \(opened.joined(separator: "|"))",
                "second: \(shown.joined(separator: "|"))",
                "first then: \(first.takeMounts().joined(separator: "|"))",
                "titles: \(try first.page("own 1").title), \(try second.page("own 2").title)",
            ]
        },
        .withFronts(
            "F2", "seen by that front alone, in its snapshot and in each transition",
            [
                "mounted: + page in child (push)|- page", "flashes: 1 2",
                "other: ", "third: own 3",
            ]
        ) { setup in
            let (first, second) = try await setup.withOwnPages()
            let own = try first.listener("own 1")
            await own.openChild("deeper")
            await own.show(title: "mine")
            await own.flash(2)
            let third = try await setup.attach()
            await own.closeChild()
            for viewer in [first, second, third] { try await viewer.stand.sync() }
            return [
                "mounted: \(first.takeMounts().joined(separator: "|"))",
                "flashes: \(try first.page("own 1").flashes)",
                "other: \(second.pageLines().joined(separator: "|"))",
                "third: \(third.ownPages)",
            ]
        },
        .withFronts(
            "F3", "a front that comes back finds its page as it was; one that has left leaves none",
            [
                "again: + stand; + page in left (embed); + page in own (embed); "
                    + "+ page in child (push)",
                "title: mine", "left: own 1 resigns", "third: own 3",
            ]
        ) { setup in
            let (first, second) = try await setup.withOwnPages()
            try await first.listener("own 1").show(title: "mine")
            try await first.listener("own 1").openChild("deeper")
            await first.front.disconnect()
            try await second.stand.sync()
            _ = first.journal.take()
            await first.front.reconnect()
            let again = first.takeMounts().filter { $0.hasPrefix("+") || $0.contains("+ stand") }
                .map { $0.replacing("- stand; ", with: "") }
            let title = try first.page("own 1").title
            try await first.listener("own 1").closeChild()
            _ = try await second.stand.notes()
            await setup.leave(first)
            try await second.stand.noted("own 1 resigns")
            let notes = try await second.stand.notes()
            let third = try await setup.attach()
            return ["again: \(again.joined(separator: "|"))", "title: \(title)"]
                + notes.map { "left: \($0)" } + ["third: \(third.ownPages)"]
        },
        .withFronts(
            "F4", "take-over and detach end the page of the one that goes",
            ["detached: own 1 resigns", "taken over: own 2 resigns", "third: own 3"]
        ) { setup in
            let (first, second) = try await setup.withOwnPages()
            await setup.leave(first)
            try await second.stand.noted("own 1 resigns")
            let detached = try await second.stand.notes()
            let third = try await setup.attach(takesOver: true)
            try await third.stand.noted("own 2 resigns")
            let taken = try await third.stand.notes()
            return detached.map { "detached: \($0)" } + taken.map { "taken over: \($0)" }
                + ["third: \(third.ownPages)"]
        },
        .withFronts(
            "F5", "events from a read-only front reach its own pages, and nothing shared",
            [
                "own: mine", "pushed: + page in child (push)", "shared: refused",
                "shared title: a", "refused: 1",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").openOwn()
            let reader = try await setup.attach(isReadOnly: true)
            _ = reader.journal.take()
            let own = try reader.listener("own 2")
            await own.show(title: "mine")
            await own.openChild("deeper")
            _ = try await own.added()
            let shared = await Outcome.of { _ = try await reader.listener("a").added() }
            return [
                "own: \(try reader.page("own 2").title)",
                "pushed: \(reader.takeMounts().joined(separator: "|"))", "shared: \(shared)",
                "shared title: \(try first.page("a").title)",
                "refused: \(try await setup.refusedEvents())",
            ]
        },
        .withFronts(
            "F6", "the parent goes: all pages go with it, and come anew with it",
            [
                "a resigns", "own 1 resigns", "deeper resigns", "own 2 resigns", "first: - page",
                "second: - page", "first: + page in left (embed)",
                "first: + page in own (embed)", "second: own 2",
            ]
        ) { setup in
            let (first, second) = try await setup.withOwnPages()
            try await first.listener("own 1").openChild("deeper")
            _ = try await first.stand.notes()
            for viewer in [first, second] { _ = viewer.journal.take() }
            try await first.stand.close(.left)
            let notes = try await first.stand.notes()
            try await second.stand.sync()
            let gone = ["first", "second"].enumerated().flatMap { index, name in
                [first, second][index].takeMounts().map { "\(name): \($0)" }
            }
            try await first.stand.open("b", at: .left)
            try await first.listener("b").openOwn()
            try await second.stand.sync()
            return notes + gone + first.takeMounts().map { "first: \($0)" }
                + ["second: \(second.ownPages)"]
        },
        .withFronts(
            "F7", "the caller's identity in a handler is the front's whose page it is",
            [
                "own: [1, 1, 0]", "shared, by 1: [1, 1, 0]", "shared, by 2: [2, 2, 0]",
                "answer: no", "flashes: 7 and none",
            ]
        ) { setup in
            let (first, second) = try await setup.withOwnPages(answers: [true, false])
            let own = try await first.listener("own 1").whoAsks()
            let byFirst = try await first.listener("a").whoAsks()
            let bySecond = try await second.listener("a").whoAsks()
            // The other front would answer sooner, if it were asked.
            let answer = try await second.listener("a").askBack("sure?")
            try await first.listener("a").flashBack(7)
            for viewer in [first, second] { try await viewer.stand.sync() }
            let other = try second.page("a").flashes
            return [
                "own: \(own)", "shared, by 1: \(byFirst)", "shared, by 2: \(bySecond)",
                "answer: \(answer)",
                "flashes: \(try first.page("a").flashes) and \(other.isEmpty ? "none" : other)",
            ]
        },
        .withFronts(
            "F8", "a mirror sees another's page, sends nothing, and ends with it",
            [
                "shows: own 1", "title: mine", "pushed: + page in child (push)",
                "own: refused", "shared: refused", "connected: false",
            ]
        ) { setup in
            let (first, second) = try await setup.withOwnPages()
            let mirror = try await setup.attach(mirroring: first)
            let shows = mirror.ownPages
            _ = mirror.journal.take()
            try await first.listener("own 1").show(title: "mine")
            try await first.listener("own 1").openChild("deeper")
            // Refused events are answered after what was sent before.
            let own = await Outcome.of { _ = try await mirror.listener("own 1").added() }
            let shared = await Outcome.of { _ = try await mirror.listener("a").added() }
            let title = try mirror.page("own 1").title
            let pushed = mirror.takeMounts().joined(separator: "|")
            let shown = mirror.front.attachments
            await setup.leave(first)
            await mirror.front.shows(moreThan: shown)
            try await second.stand.sync()
            return [
                "shows: \(shows)", "title: \(title)", "pushed: \(pushed)", "own: \(own)",
                "shared: \(shared)", "connected: \(mirror.front.isConnected)",
            ]
        },
        .withFronts(
            "F9", "a session without fronts has no pages, and its shared features go on",
            ["own 1 resigns", "numbers: [1]", "shows: own 2"]
        ) { setup in
            // Of another session of that process: this one has no front that could tell.
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").openOwn()
            try await first.listener("a").add(1)
            _ = try await first.stand.notes()
            await setup.leave(first)
            let second = try await setup.attach()
            try await second.stand.noted("own 1 resigns")
            let notes = try await second.stand.notes()
            let numbers = try await second.listener("a").added()
            return notes + ["numbers: \(numbers)", "shows: \(second.ownPages)"]
        },
        .withFronts(
            "F10", "with 1000 fronts, one that joins gets its own pages, and costs as one of few",
            [
                "mounted by the last: 3", "told to the others: 0", "nodes shown by the first: 3",
                "the last 50 took at most 4 times as long as 50 of the first: true",
            ]
        ) { setup in
            let first = try await setup.attach()
            try await first.stand.open("a", at: .left)
            try await first.listener("a").openOwn()
            var viewers = [first]
            var times: [Duration] = []
            for _ in 1..<999 {
                let clock = ContinuousClock()
                times.append(try await clock.measure { viewers.append(try await setup.attach()) })
            }
            // Medians: a join that others of the machine delay says nothing.
            let early = times[50..<100].sorted()[25]
            let late = times.suffix(50).sorted()[25]
            let isCheap = late <= early * 4
            for viewer in viewers {
                try await viewer.stand.sync()
                _ = viewer.journal.take()
            }
            let last = try await setup.attach()
            for viewer in viewers { try await viewer.stand.sync() }
            let told = viewers.reduce(0) { $0 + $1.journal.take().count }
            return [
                "mounted by the last: \(last.front.nodes.count)", "told to the others: \(told)",
                "nodes shown by the first: \(first.front.nodes.count)",
                "the last 50 took at most 4 times as long as 50 of the first: \(isCheap)",
            ]
        },
    ]
}

extension SessionSetup {
    /// Two fronts on a page at the left, each of which has a page of its own below it.
    ///
    /// - Parameter answers: what the fronts answer to every question.
    func withOwnPages(answers: [Bool?] = [nil, nil]) async throws -> (Viewer, Viewer) {
        let (one, other) = (answers[0], answers[1])
        let first = try await attach(answers: { _ in one })
        try await first.stand.open("a", at: .left)
        try await first.listener("a").openOwn()
        let second = try await attach(answers: { _ in other })
        for viewer in [first, second] { _ = viewer.journal.take() }
        return (first, second)
    }
}

extension Viewer {
    /// The names of the pages for one front alone that this front shows.
    var ownPages: String {
        let count = front.nodes.count { $0.slot == "own" }
        let names = views.all(Page.self).compactMap { $0.arguments?.name }
        return names.filter { $0.hasPrefix("own") }.suffix(count).joined(separator: ", ")
    }
}

extension Recording<Page> {
    var title: String {
        newest { if case .presentTitle(let title) = $0 { title } else { nil } } ?? ""
    }
}
