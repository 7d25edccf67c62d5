// WalkTests: each screen of a walk is there again after whatever may happen to it.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WalkTests {
    /// Two things happen to each screen. Its front leaves, and another one comes: it sees what the
    /// session knows. The worker is killed: if nothing of the app is durable, the screen says that
    /// the session began anew, and shows its start; and the way that was gone before leads there
    /// again. A durable session shows who comes then what it has kept.
    @Test(arguments: Walk.stretches)
    func `a screen is there again after a detach, and after the worker was killed`(
        stretch: Walk.Stretch
    ) async throws {
        let walk = stretch.walk
        let visit = try await Visit(walk, stretch.size)
        try await visit.follow(walk.steps[...stretch.steps.lowerBound])
        for index in stretch.steps {
            if index > stretch.steps.lowerBound { try await visit.follow([walk.steps[index]]) }
            let step = walk.steps[index]
            try await visit.leaveAndComeBack(to: step.again(stretch.size))
            if walk.isDurable {
                try await visit.replaceWorker()
                let name = step.afterDeath(stretch.size, among: walk.steps)
                try await visit.leaveAndComeBack(to: name)
            } else {
                try await visit.killWorker()
                try await visit.follow(walk.steps[...index], "after the worker was killed")
            }
        }
    }
}

/// A client in a terminal, and the session that it looks at.
private struct Visit {
    let place: Workplace
    private let walk: Walk
    private let size: TerminalSize
    private let daemon: Child
    /// Somebody stays: a question that nobody can answer any more would end.
    private let other: ControlFront
    private let terminal: Tmux
    private let server: CharactersServer?

    init(_ walk: Walk, _ size: TerminalSize) async throws {
        (self.walk, self.size) = (walk, size)
        let server = walk.hasServer ? try await CharactersServer() : nil
        self.server = server
        place = Workplace(
            daemon: walk.daemon, apps: walk.apps, app: walk.app, tick: walk.tick,
            environment: server.map { ["CHARACTERS_SERVER": $0.address] } ?? [:])
        try walk.transcript?.joined(separator: "\n").write(
            toFile: place.directory + "/take", atomically: true, encoding: .utf8)
        let take = "transcription.transcript=\(place.directory)/take"
        daemon = try await place.daemon(walk.transcript == nil ? [] : ["--set", take])
        other = try await place.front()
        terminal = try await Tmux(
            client: "attach \(walk.app)", of: place, columns: size.columns, lines: size.lines)
    }

    private func screen(_ name: String) -> GoldenScreen {
        GoldenScreen("\(walk.name)/\(name)", columns: size.columns, lines: size.lines)
    }

    /// Goes from screen to screen, and looks at each.
    func follow(_ steps: ArraySlice<Walk.Step>, _ when: String = "") async throws {
        let when = walk.moves ? "in time" : when
        for step in steps {
            for key in step.keys { try await terminal.press(key) }
            try await screen(step.screen(size)).appears(in: terminal, of: place, when)
        }
    }

    /// A front that is gone takes nothing along.
    func leaveAndComeBack(to name: String) async throws {
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
        try await terminal.startAgain()
        // A screen that only one who comes back sees is written down here.
        let isKnown = walk.steps.contains { $0.screen(size) == name }
        try await screen(name).appears(in: terminal, of: place, isKnown ? "after coming back" : "")
    }

    /// Both fronts find back by themselves.
    func replaceWorker() async throws {
        let killed = Int(try await place.workerPID())
        kill(Int32(killed), SIGKILL)
        _ = try await place.sessions { sessions in
            sessions.contains { session in
                session.object["pid"] as? Int != killed && session.fronts.count == 2
                    && session.fronts.allSatisfy { $0.state != "away" }
            }
        }
    }

    /// The front finds back by itself; any key takes the notice away.
    func killWorker() async throws {
        try await place.killWorker()
        try await terminal.shows("the worker was")
        try await screen("restarted").appears(in: terminal, of: place)
        try await terminal.press("Home")
    }
}
