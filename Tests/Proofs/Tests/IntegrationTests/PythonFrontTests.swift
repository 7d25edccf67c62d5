// PythonFrontTests: the front in Python on a real napkind, beside the one in Swift.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PythonFrontTests {
    private let place = Workplace()

    private func withFronts(
        _ body: (Workplace, _ swift: ControlFront, _ python: ControlFront) async throws -> Void
    ) async throws {
        let place = Workplace()
        defer { place.cleanUp() }
        try await place.daemon()
        let swift = try await place.front()
        let python = try await place.pythonFront()
        try await body(place, swift, python)
    }

    /// Both show the same: these features, each with all of its states.
    private func bothShow(
        _ features: [String], _ swift: ControlFront, _ python: ControlFront
    ) async throws {
        for front in [swift, python] {
            try await front.shows { screen in
                screen.features == features
                    && features.allSatisfy { feature in
                        Self.states[feature, default: []].allSatisfy {
                            screen.value(feature, $0) != nil
                        }
                    }
            }
        }
        #expect(python.screen == swift.screen)
    }

    /// What the features of Rib House present; nothing of it changes until the pit ticks.
    private static let states = [
        Feature.loggedIn: ["present(pitSummary:)", "present(foods:)"],
        Feature.pitBoard: ["present(sections:)", "present(specials:)"],
    ]

    @Test func `both see the same through login, pit board, back and logout, whoever taps`()
        async throws
    {
        try await withFronts { _, swift, python in
            let steps = [
                (Feature.loggedOut, "didTapLogin()", [Feature.launch, Feature.loggedIn]),
                (
                    Feature.loggedIn, "didTapPitBoard()",
                    [Feature.launch, Feature.loggedIn, Feature.pitBoard]
                ),
                (Feature.pitBoard, "didTapBack()", [Feature.launch, Feature.loggedIn]),
                (Feature.loggedIn, "didTapLogout()", [Feature.launch, Feature.loggedOut]),
            ]
            for front in [swift, python] {
                try await bothShow([Feature.launch, Feature.loggedOut], swift, python)
                for (feature, method, features) in steps {
                    #expect(try await front.call(feature, method).isOK)
                    try await bothShow(features, swift, python)
                }
            }
            // Mistakes get the same codes.
            for (feature, method) in [
                (Feature.loggedOut, "didTapNothing()"), (Feature.pitBoard, "didTapBack()"),
            ] {
                let replies = [
                    try await swift.call(feature, method), try await python.call(feature, method),
                ]
                #expect(replies[0].errorCode == replies[1].errorCode, "\(method)")
                #expect(!replies[1].isOK)
            }
        }
    }

    @Test func `states of every type are the same, tick by tick`() async throws {
        let place = Workplace(tick: 0.1)
        defer { place.cleanUp() }
        try await place.daemon()
        let swift = try await place.front()
        let python = try await place.pythonFront()
        try await swift.login()
        try await swift.call(Feature.loggedIn, "didTapPitBoard()")
        let fronts = [swift, python]
        for front in fronts {
            try await front.reads {
                $0.isState("present(sections:)") && "\($0.object["value"] ?? "")".contains("served")
            }
            try await front.reads { $0.isState("present(banner:)") }
        }
        // From a state that both have seen on, they have seen the same ones in the same order.
        let seen = try fronts.map { front in
            try front.seen.filter { $0.isState("present(sections:)") }
                .map { try JSON.text($0.object["value"]) }
        }
        let common = try #require(seen[0].first { seen[1].contains($0) })
        let tails = seen.map { $0.drop { $0 != common } }
        #expect(tails[0].count > 1)
        for (left, right) in zip(tails[0], tails[1]) { #expect(left == right) }
    }

    @Test func `a question that the Swift front causes is answered by the Python one`()
        async throws
    {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        let swift = try await place.front()
        let python = try await place.pythonFront(Question.app)
        for (json, outcome) in [("true", "yes"), ("false", "no")] {
            let event = try swift.empties()
            let id = try await swift.isAsked()
            #expect(try await python.isAsked() == id)
            try python.answers(id, json)
            try await swift.reads { $0.type == "askEnded" && $0.id == id }
            #expect(try await swift.reply(to: event).isOK)
            try await python.showsOutcome(outcome)
            try await swift.showsOutcome(outcome)
            #expect(python.screen == swift.screen)
        }
        // And the other way round.
        try python.empties()
        let id = try await python.isAsked()
        try swift.answers(id, "true")
        try await python.reads { $0.type == "askEnded" && $0.id == id }
        let late = try await python.complaint(about: #"{"t":"answer","id":\#(id),"value":false}"#)
        #expect(late.errorCode == "gone")
        // What a handler throws.
        let reply = try await python.call(Question.desk, "didTapFail()")
        #expect(reply.errorCode == "failed")
        #expect("\(reply.object)".contains("the drawer is locked"))
        // One that attaches late is asked what is open, and told when it is over.
        try await swift.call(Question.desk, "didTapWrite()")
        try swift.send(Question.note, "didTapBurn()")
        let open = try await swift.isAsked()
        let later = try await place.pythonFront(Question.app)
        #expect(try await later.isAsked() == open)
        try swift.send(Question.desk, "didTapTear()")
        try await later.reads { $0.type == "askEnded" && $0.id == open }
        try await later.showsOutcome("gone")
    }

    @Test func `napkind killed is not noticed, a worker comes back, and a session's end is told`()
        async throws
    {
        let place = Workplace()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let swift = try await place.front()
        let python = try await place.pythonFront()
        try await killed(first)
        try await python.login()
        #expect(!python.wasDisconnected)
        try await place.daemon()
        try await swift.mounts(Feature.loggedIn)
        kill(try await place.workerPID(), SIGKILL)
        for front in [swift, python] {
            try await front.reads { $0.type == "disconnected" }
            let welcome = try await front.reads { $0.type == "welcome" }
            #expect(welcome.object["resumed"] as? Bool == true)
            let resumed = try await front.reads { $0.type == "resumed" }
            #expect(resumed.object["lost"] as? Int == 0)
        }
        try await bothShow([Feature.launch, Feature.loggedIn], swift, python)
        #expect(try await python.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        try await bothShow(
            [Feature.launch, Feature.loggedIn, Feature.pitBoard], swift, python)
        _ = try await place.run(["kill", "rib-house"])
        #expect(await python.child.exit() == 69)
        expectAdvice(await python.child.allErrors(), from: "control", ["rib-house"])
    }

    @Test func `an event that is being handled when its worker is killed ends as unknown`()
        async throws
    {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        let python = try await place.pythonFront(Question.app)
        let event = try python.send(Question.desk, "didTapWait()")
        try await python.shows { $0.value(Question.desk, "present(waiting:)") == "1" }
        kill(try await place.workerPID(), SIGKILL)
        // Only the next worker can say that it does not know the front.
        let resumed = try await python.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 1)
        #expect(try await python.reply(to: event).errorCode == "unknown")
    }

    @Test func `an event whose reply was lost with the connection is applied and answered once`()
        async throws
    {
        try await ResumeTests.withLostReply { place in
            try await place.pythonFront()
        } body: { python, id, witness in
            let resumed = try await python.reads { $0.type == "resumed" }
            #expect(resumed.object["lost"] as? Int == 0)
            #expect(try await python.reply(to: id).isOK)
            try await python.shows { $0.features.contains(Feature.pitBoard) }
            // The numbers of events go on: the worker takes the next one for a new one.
            #expect(try await python.call(Feature.pitBoard, "didTapBack()").isOK)
            try await witness.shows { !$0.features.contains(Feature.pitBoard) }
            #expect(python.seen.count { $0.type == "reply" && $0.id == id } == 1)
            #expect(witness.mountCount(Feature.pitBoard) == 1)
        }
    }

    @Test func `it says of itself and of bad lines what napkin-client says`() async throws {
        try await place.daemon()
        #expect(try await place.run(["new-session", "rib-house"]).status == 0)
        let fronts = [
            try await place.front(["--read-only"]),
            try await place.pythonFront("rib-house", ["--read-only"]),
        ]
        for front in fronts {
            let welcome = front.seen.first { $0.type == "welcome" }
            #expect(welcome?.object["readOnly"] as? Bool == true)
            for (line, type, code) in [
                (#"{"t":"answer","id":"one","value":true}"#, "refused", "malformed"),
                (#"{"t":"answer","id":7,"value":true}"#, "refused", "gone"),
                (#"{"t":"kettle","id":7}"#, "reply", "malformed"),
            ] {
                let complaint = try await front.complaint(about: line)
                #expect(complaint.type == type, "\(line)")
                #expect(complaint.errorCode == code, "\(line)")
            }
        }
    }
}
