// DashboardTests: the dashboard on a terminal, and what is done there to a daemon.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DashboardTests {
    /// Runs a body with the dashboard of a daemon, on which Rib House has a front.
    private func withDashboard(
        _ body: (Workplace, ControlFront, Tmux) async throws -> Void
    ) async throws {
        let place = try await Workplace().started()
        let front = try await place.front()
        let terminal = try await Tmux(client: "", of: place, columns: 100)
        try await terminal.shows("the session") { screen in
            screen.contains("SESSION") && screen.contains("1 front")
        }
        // Behind cart and characters.
        try await terminal.press("Down", "Down")
        try await body(place, front, terminal)
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
    }

    @Test func `the pages follow the selected session`() async throws {
        try await withDashboard { place, front, terminal in
            try await terminal.press("3")
            try await terminal.shows("its tree") { screen in
                screen.contains("Tree of rib-house") && screen.contains("rib-house.logged-out")
            }
            try await terminal.press("5")
            try await terminal.shows("Trace of rib-house")
            // It traces once it says so in the tree.
            let login = "rib-house.logged-out"
            _ = try await place.run(["send", "rib-house", login, "didTapLogin()"])
            try await terminal.shows("didTapLogin()")
            try await terminal.press("3")
            try await terminal.shows("rib-house.logged-in")
            try await terminal.press("4")
            try await terminal.shows("Calls of rib-house")
            try await terminal.press("6")
            try await terminal.shows("its worker's output") { screen in
                screen.contains("Log of rib-house") && screen.contains("worker starts")
            }
            try await terminal.press("2")
            try await terminal.shows("the front") { screen in
                screen.contains("FRONT") && screen.contains("attached")
            }
            // A worker that does not answer is named, and does not hide the others.
            try await terminal.press("1")
            let worker = try await place.workerPID()
            kill(worker, SIGSTOP)
            let signs = ["for rib-house's worker", "has not answered"]
            do {
                defer { kill(worker, SIGCONT) }
                try await terminal.shows("whom is waited for") { screen in
                    signs.contains(where: screen.contains) && screen.contains("cart ")
                }
            }
            try await terminal.shows("that it answers again") { screen in
                !signs.contains(where: screen.contains)
            }
            _ = front
        }
    }

    @Test func `an app is restarted, its session renamed, its front detached, and it is killed`()
        async throws
    {
        try await withDashboard { place, front, terminal in
            let worker = try await place.workerPID()
            try await terminal.press("r")
            try await terminal.shows("Restart rib-house")
            try await terminal.press("y")
            try await front.reads { $0.type == "resumed" }
            #expect(try await place.workerPID() != worker)
            try await terminal.shows("restarted")
            try await terminal.press("e")
            try await terminal.shows("New name of rib-house")
            try await terminal.press("C-u")
            try await terminal.type("lunch")
            try await front.reads { $0.type == "renamed" }
            try await terminal.shows("lunch ")
            try await terminal.press("2", "d")
            try await terminal.shows("Detach front")
            try await terminal.press("y")
            try await front.reads { $0.type == "detached" }
            try await terminal.shows("No front is attached.")
            try await terminal.press("1", "x")
            try await terminal.shows("Kill lunch")
            try await terminal.press("y")
            try await terminal.shows("no lunch") { screen in
                screen.contains("SESSION") && !screen.contains("lunch")
            }
            let list = try await place.run(["ls"])
            #expect(!list.lines.contains { $0.contains("lunch") })
        }
    }

    @Test(arguments: [
        ("top rib-house", "Calls of rib-house"), ("tree --watch", "Tree of all sessions"),
    ])
    func `top and tree --watch are its pages on a terminal`(
        words: String, heading: String
    ) async throws {
        let place = try await Workplace().started()
        let front = try await place.front()
        let terminal = try await Tmux(client: words, of: place)
        try await terminal.shows(heading)
        // By then it measures.
        if words.hasPrefix("top") { try await terminal.shows("Nothing crosses.") }
        _ = try front.send("rib-house.logged-out", "didTapLogin()")
        try await terminal.shows(words.hasPrefix("top") ? "didTapLogin()" : "rib-house.logged-in")
        try await terminal.press("q")
        try await terminal.shows("ended with 0")
    }
}
