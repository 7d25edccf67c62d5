// RoutingCases: section R.

import ConformanceCases
import NapkinCore
import NapkinTesting

extension Case {
    static let routing: [Case] = [
        .inWorker(
            "R1", "a router starts without children",
            ["with a view: 0", "headless: 0", "containers: 0"]),
        .inWorker(
            "R2", "load calls didLoad once, ever, across re-attach",
            [
                "page becomes active: true", "page loads", "page resigns: true",
                "page becomes active: true", "page resigns: true",
                "page becomes active: true", "page resigns: true",
                "front:", "+ probe in left (embed)", "- probe", "+ probe in left (embed)",
                "- probe", "+ probe", "- probe",
            ]),
        .inWorker(
            "R3", "loaded() returns after load, at once when loaded, waits within didLoad",
            [
                "page loads", "in the middle", "nobody is told", "didLoad ends",
                "who waits is told", "who waits is told", "late is told", "that was at once",
            ]),
        .inWorker(
            "R4", "attach appends, activates, loads, then mounts",
            [
                "built, children: 0",
                "page becomes active: true", "children: 1, active: true, mounted: false",
                "page loads", "children: 1, active: true, mounted: false",
                "children: 1, active: true, mounted: true",
                "front:", "+ probe in left (embed)",
            ]),
        .withFronts(
            "R5", "detach: view gone, deactivated, removed",
            [
                "page becomes active: true", "page loads",
                "page resigns: true", "children: 1, active: true, mounted: false",
                "children: 0, active: false, mounted: false", "slot taken: false",
                "front:", "+ probe in left (embed)", "- probe",
                "conformance.stand presentTime(time: 5)",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            _ = viewer.journal.take()
            return try await viewer.stand.run("R5") + ["front:"] + viewer.journal.take()
        },
        .inWorker(
            "R6", "detaching a stranger does nothing but warn; the child stays active",
            [
                "parent becomes active: true", "parent loads",
                "child becomes active: true", "child loads",
                #"warns: detachOfStranger("ProbeRouter")"#,
                #"warns: detachOfStranger("ProbeRouter")"#,
                "children: 1, active: true, mounted: true", "the other parent's: child",
                "front:", "+ probe in left (embed)", "+ probe in left (embed)",
            ]),
        .inWorker(
            "R7", "detach cascades: resign first, then the children, then the tasks; one unmount",
            [
                "a resigns: true", "active: a b c", "b resigns: true", "active: a b c",
                "c resigns: true", "active: a b c", "late loads",
                "c's task ends: active: a b c", "b's task ends: active: a b",
                "a's task ends: active: a", "detached: active: none",
                "late: children: 0, active: false, mounted: false",
                "front:", "+ probe in left (embed)", "+ probe in left (embed)",
                "+ probe in left (embed)", "- probe",
            ]),
        .inWorker(
            "R8", "attaching under an inactive parent defers activation",
            [
                "child loads", "children: 0, active: false, mounted: false",
                "parent becomes active: true", "child becomes active: true", "parent loads",
                "children: 1, active: true, mounted: true",
                "front:", "+ probe in left (embed); + probe in left (embed)",
            ]),
        .inWorker(
            "R9", "attaching twice throws (an error, not an assertion); slots warn",
            [
                "page becomes active: true", "page loads",
                "ProbeRouter is attached already; detach it first, or build another one",
                "StandRouter is attached already; detach it first, or build another one",
                "former becomes active: true", "former loads",
            ]
                + Array(
                    repeating: "warns: attachRefused(ProbeRouter is attached already; "
                        + "detach it first, or build another one)", count: 3)
                + [
                    "taken: false, children: page former",
                    "front:", "+ probe", "+ probe in left (embed)",
                ]),
        .withFronts(
            "R10", "100 concurrent requests to attach into one slot make one child",
            [
                "built", "page becomes active: true", "page loads", "children: page",
                "page resigns: true", "front:", "+ probe in left (embed)", "- probe",
                "by fronts:", "+ page in left (embed)", "pages: 1",
            ]
        ) { setup in
            let viewers = [try await setup.attach(), try await setup.attach()]
            let lines = try await viewers[0].run("R10")
            let stands = try viewers.map { try $0.stand }
            let taps = (0..<100).map { number in
                dispatch { await stands[number % 2].open("p\(number)", at: .left) }
            }
            for tap in taps { await tap.value }
            let pages = viewers[0].front.nodes.count { $0.feature == Page.id }
            return lines + ["by fronts:"] + viewers[0].takeMounts() + ["pages: \(pages)"]
        },
        .withFronts(
            "R11", "a storm of swaps ends with one child, the last; no front sees none or both",
            ["by hand: 99", "by a switch: 99", "front:"]
                + storm("probe", "left (embed)", "right (push)") + ["- probe"]
                + storm("probe", "left (embed)", "right (push)") + ["- probe", "by fronts:"]
                + storm("page", "left (embed)", "left (embed)") + ["pages: 1, p99"]
        ) { setup in
            let viewer = try await setup.attach()
            let lines = try await viewer.run("R11")
            let stand = try viewer.stand
            let taps = (0..<100).map { number in
                dispatch { await stand.swap("p\(number)", at: .left) }
            }
            for tap in taps { await tap.value }
            let pages = viewer.front.nodes.count { $0.feature == Page.id }
            let last = viewer.views.newest(Page.self)?.arguments?.name ?? "none"
            return lines + ["by fronts:"] + viewer.takeMounts() + ["pages: \(pages), \(last)"]
        },
        .withFronts(
            "R12", "a child that detaches itself from a listener call gets its reply",
            [
                "+ page in left (embed)", "- page", "reply: a left, cancelled: false",
                "+ page in right (push)", "+ page in child (push)",
                "- page", "reply: c left, cancelled: false",
                "- page", "reply: b left, cancelled: false",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            _ = viewer.journal.take()
            try await viewer.stand.open("a", at: .left)
            viewer.journal.note("reply: \(try await viewer.listener("a").leave())")
            try await viewer.stand.open("b", at: .right)
            // The parent that is told may be a page itself.
            try await viewer.listener("b").openChild("c")
            for name in ["c", "b"] {
                viewer.journal.note("reply: \(try await viewer.listener(name).leave())")
            }
            return viewer.journal.take().filter { line in
                ["+", "-", "reply"].contains { line.hasPrefix($0) }
            }
        },
        .withFronts(
            "R13", "children keep the order of attachment",
            [
                "children: 0 2 3 4 1 y z x", "keys: y z x", "list: y z x",
                "mounted: 0 1 2 3 4 1 x y z x", "a new front: 0 2 3 4 1 y z x",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            let lines = try await viewer.stand.run("R13")
            let other = try await setup.attach()
            return lines + ["mounted: \(viewer.probeNames)", "a new front: \(other.probeNames)"]
        },
        .inWorker(
            "R14", "a permanent child attached in didLoad is torn down with its parent",
            [
                "parent becomes active: true", "parent loads",
                "child becomes active: true", "child loads",
                "parent resigns: true", "child resigns: true",
                "children: 0, active: false, mounted: false",
                "tabbed becomes active: true", "tabbed loads",
                "first becomes active: true", "first loads",
                "second becomes active: true", "second loads", "selected: right",
                "tabbed resigns: true", "first resigns: true", "second resigns: true",
                "front:", "+ probe in left (embed); + probe in left (embed)", "- probe",
                "+ probe in left (embed); + probe in left (tab); + probe in right (tab)",
                "- probe",
            ]),
        crossing,
    ]

    /// What a front does.
    private typealias Call = @MainActor @Sendable () async throws -> Void

    private static let crossing = Case.withFronts(
        "R15", "a front's back gesture and the daemon's own detach may cross: safe, once",
        [
            "gesture, then detach: returned returned", "a resigns",
            "+ page in right (push)", "- page",
            "detach, then gesture: returned returned", "b resigns",
            "+ page in right (push)", "- page",
            "two gestures: returned returned", "c resigns",
            "+ page in right (push)", "- page",
            "not yet told of the detach: returned", "d resigns",
            "+ page in right (push)", "- page",
            "a stack, detach first: returned returned", "top tapped",
            "top resigns: true", "middle resigns: true", "bottom resigns: true",
            "- probe; - probe; - probe",
            "a stack, gesture first: returned returned",
            "top resigns: true", "middle resigns: true", "bottom resigns: true",
            "- probe; - probe; - probe",
        ]
    ) { setup in
        let viewer = try await setup.attach()
        let other = try await setup.attach()
        let stand = try viewer.stand
        var lines: [String] = []
        _ = viewer.journal.take()
        await stand.open("a", at: .right)
        let a = try viewer.page("a")
        let close: Call = { await stand.close(.right) }
        let one = await both({ try await a.dismiss() }, and: close)
        lines += try await viewer.seen("gesture, then detach: \(one)")

        await stand.open("b", at: .right)
        let b = try viewer.page("b")
        let two = await both(close, and: { try await b.dismiss() })
        lines += try await viewer.seen("detach, then gesture: \(two)")

        await stand.open("c", at: .right)
        try await other.stand.sync()
        let here = try viewer.page("c")
        let there = try other.page("c")
        let three = await both({ try await here.dismiss() }, and: { try await there.dismiss() })
        lines += try await viewer.seen("two gestures: \(three)")

        await stand.open("d", at: .right)
        let d = try viewer.page("d")
        viewer.front.hold()
        try await other.stand.close(.right)
        // This front still shows the page.
        let late = Task.immediate { await Outcome.of { try await d.dismiss() } }
        viewer.front.release()
        lines += try await viewer.seen("not yet told of the detach: \(await late.value)")

        for isGestureFirst in [false, true] {
            _ = try await viewer.run("R15")
            let bottom = try viewer.probe("bottom")
            let top = try viewer.probe("top")
            let gesture: Call = { try await bottom.dismiss() }
            let pop: Call = { await top.listener?.didTap() }
            let outcomes =
                isGestureFirst
                ? await both(gesture, and: pop) : await both(pop, and: gesture)
            lines += try await viewer.seen(
                "a stack, \(isGestureFirst ? "gesture" : "detach") first: \(outcomes)")
        }
        return lines
    }

    /// Sends one after the other, waiting for neither; how each ended.
    @MainActor
    private static func both(
        _ first: @escaping Call, and second: @escaping Call
    ) async -> String {
        let one = Task.immediate { await Outcome.of(first) }
        let two = Task.immediate { await Outcome.of(second) }
        return "\(await one.value) \(await two.value)"
    }

    /// What 100 swaps look like: a batch each.
    private static func storm(_ name: String, _ even: String, _ odd: String) -> [String] {
        (0..<100).map { number in
            (number == 0 ? "" : "- \(name); ")
                + "+ \(name) in \(number.isMultiple(of: 2) ? even : odd)"
        }
    }
}

extension Viewer {
    /// How something ended, what was noted of it, and what this front was told.
    fileprivate func seen(_ outcome: String) async throws -> [String] {
        try await stand.sync()
        return [outcome] + (try await stand.notes()) + takeMounts()
    }

    /// Of the probes that this front has mounted, in order.
    fileprivate var probeNames: String {
        views.all(ProbePage.self).compactMap(\.arguments?.name).joined(separator: " ")
    }
}
