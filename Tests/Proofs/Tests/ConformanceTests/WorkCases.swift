// WorkCases: section W.

import ConformanceCases
import NapkinCore
import NapkinTesting

extension Case {
    static let work: [Case] = [
        .inWorker(
            "W1", "a worker's didStart: once per bind and activation; didStop with either's end",
            [
                "bound: true", "activate", "did start: true", "deactivate", "did stop",
                "activate", "did start: true", "stop", "did stop", "bound: false",
                "start", "did start: true", "deactivate", "did stop",
            ]),
        .inWorker(
            "W2", "a worker holds its scope weakly, and ends with it",
            ["did start: true", "let go", "did stop", "scope kept: false, bound: false"]),
        .inWorker(
            "W3", "steps in order, each when its node is active; forks; one end; cancellation",
            [
                "didFork", "didFork", "one runs", "two waiting", "attach",
                "two got 7, active: true", "right got 8", "ended: false", "left got 8",
                "didComplete", "completed",
                "stays runs", "breaks failed", "stays ends", "stays cancelled",
                "didReceiveError: shut", "failed: shut",
                "long runs", "long ends", "long cancelled", "cancelled",
                "front:", "+ probe in left (embed)", "- probe",
            ]),
        .withFronts(
            "W4", "a deep link that comes while logged out completes after login",
            [
                "wait for a page running", "open", "wait for a page done",
                "show the title running", "show the title done", "completed",
                "title: from the link",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            let stand = try viewer.stand
            async let link = stand.run("W4")
            await stand.noted("wait for a page running")
            let early = try await stand.notes()
            // Only a front lets somebody in.
            try await viewer.stand.open("a", at: .left)
            let lines = try await link
            let title = try viewer.page("a").newest { message -> String? in
                if case .presentTitle(let title) = message { title } else { nil }
            }
            return early + ["open"] + lines + ["title: \(title ?? "none")"]
        },
        .inWorker(
            "W5", "confined(to:): the newest value only, and only while active",
            [
                "activate", "got 5", "got 6", "deactivate", "activate", "got 9", "let go",
                "over", "scope kept: false",
            ]),
        .withFronts(
            "W6", "1,000 attachments: everything is released, and a leak's owner is named",
            [
                "node: 2000 made, 2000 released", "router: 2000 made, 2000 released",
                "scope: 2000 made, 2000 released", "task: 8000 made, 8000 released",
                "sender: 2000 made, 2000 released", "stream: 6000 made, 6000 released",
                "slot: 2000 made, 2000 released", "nothing is left",
                "with a page and a task that are kept:",
                "stand/left: slot \"right\"", "stand/left: the interactor",
                "stand/left: the node", "stand/left: the router",
                "stand/left: the sender of its presenter", "stand/left/right: the interactor",
                "stand/left/right: the node", "stand/left/right: the router",
                "stand/left/right: the sender of its presenter",
                "stand/right: task \"stubborn\" started at Probe.swift:7",
                "let go; released: true", "nothing is left",
                "mounted at the left: 1001", "unmounted: 1002",
            ]
        ) { setup in
            let viewer = try await setup.attach()
            _ = viewer.journal.take()
            let lines = try await viewer.stand.run("W6")
            let seen = viewer.journal.take()
            let mounted = seen.count { line in
                line == "+ probe in left (embed); + probe in right (push)"
            }
            let unmounted = seen.count { $0 == "- probe" }
            return lines + ["mounted at the left: \(mounted)", "unmounted: \(unmounted)"]
        },
    ]
}
