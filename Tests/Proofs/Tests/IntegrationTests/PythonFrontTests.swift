// PythonFrontTests: the front in Python on a real napkind, beside the one in Swift.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PythonFrontTests {
    private let place = Workplace()

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

    @Test func `both see and say the same, whoever taps, through deaths until the session's end`()
        async throws
    {
        let daemon = try await place.daemon()
        let swift = try await place.front()
        let python = try await place.pythonFront()
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
        try await saysTheSame()
        try await followsThroughDeaths(daemon, swift, python)
    }

    @Test func `a question that the Swift front causes is answered by the Python one`()
        async throws
    {
        let place = try await Workplace.questions().started()
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

    /// Napkind killed is not noticed, a worker comes back, and a session's end is told.
    private func followsThroughDeaths(_ first: Child, _ swift: ControlFront, _ python: ControlFront)
        async throws
    {
        try await killed(first)
        try await python.login()
        #expect(!python.wasDisconnected)
        try await place.daemon()
        try await swift.mounts(Feature.loggedIn)
        try await place.killWorker()
        for front in [swift, python] {
            try await front.reads { $0.type == "disconnected" }
            let welcome = try await front.reads { $0.type == "welcome" }
            #expect(welcome.object["resumed"] as? Bool == true)
            let resumed = try await front.reads { $0.type == "resumed" }
            #expect(resumed.object["lost"] as? Int == 0)
        }
        try await bothShow([Feature.launch, Feature.loggedIn], swift, python)
        #expect(try await python.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        try await bothShow([Feature.launch, Feature.loggedIn, Feature.pitBoard], swift, python)
        _ = try await place.run(["kill", "rib-house"])
        #expect(await python.child.exit() == 69)
        expectAdvice(await python.child.allErrors(), from: "control", ["rib-house"])
    }

    /// It says of itself and of bad lines what napkin-client says.
    private func saysTheSame() async throws {
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
