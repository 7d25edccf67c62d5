// SwitchingTests: `attach` without an app: the list, what is chosen in it, and the way back to it.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SwitchingTests {
    private let place = Workplace()

    private func terminal(
        of place: Workplace, _ size: TerminalSize = .usual, _ arguments: String = "attach",
        then rest: String = ""
    ) async throws -> Tmux {
        try await Tmux(
            client: arguments, of: place, columns: size.columns, lines: size.lines, then: rest)
    }

    @Test(arguments: TerminalSize.allCases)
    func `the list has the apps, and the sessions that are there`(size: TerminalSize) async throws {
        try await place.daemon()
        let empty = try await terminal(of: place, size)
        try await golden("list/new", size).appears(in: empty, of: place)
        let front = try await place.front()
        let lunch = try await place.front(["--session", "lunch"])
        // Another key than the list has changes nothing; what is new comes by itself.
        try await empty.press("z")
        try await golden("list/sessions", size).appears(in: empty, of: place)
        // What is selected is in sight; on a large screen it is a colour.
        if size == .tiny {
            try await empty.press("End")
            try await golden("list/selected", size).appears(in: empty, of: place)
        }
        try await empty.press("q")
        try await empty.shows("ended with 0")
        _ = (front, lunch)
    }

    /// Who has seen the list keeps it while there is no daemon.
    private func keepsTheList(_ first: Child) async throws {
        let terminal = try await terminal(of: place)
        try await terminal.shows("napkind · ")
        try await killed(first)
        try await terminal.shows("no napkind at")
        try await terminal.press("Enter")
        try await terminal.shows("the list, and why it is not newer") {
            $0.contains("no napkind at") && $0.contains("rib-house")
        }
        try await place.daemon()
        try await terminal.shows("napkind answers again")
        try await terminal.press("z")
        try await terminal.shows("the list again") { $0.contains("4 apps") }
        try await terminal.press("q")
        try await terminal.shows("ended with 0")
    }

    /// One goes from app to app, and finds each as it was left.
    private func findsEachAsItWasLeft() async throws {
        let terminal = try await terminal(of: place, then: "; stty -a | tr ';' '\\n'")
        try await terminal.shows("napkind · ")
        try await terminal.press("Down", "Down", "Enter")
        try await terminal.shows("RIB HOUSE")
        try await terminal.shows("[^O] Sessions")
        try await terminal.press("l")
        try await terminal.shows("Smokey Joe")
        try await terminal.press("C-o")
        // Nobody is there any more. The status line is drawn last.
        let list = try await terminal.shows("the list") { $0.contains("napkind · ") }
        #expect(list.contains("no fronts"), "\(list)")
        #expect(!list.contains("Smokey Joe"))
        try await terminal.press("Up", "Up", "Enter")
        try await terminal.shows("Brisket")
        try await terminal.press("C-o")
        try await terminal.shows("napkind · ")
        try await terminal.press("Down", "Down", "Enter")
        try await terminal.shows("Smokey Joe")
        // Each attachment was ended: the worker knows of one front.
        let (_, lines, _) = try await place.run(["ls", "--json"])
        let sessions = try JSON.array(lines.joined())
        let counts = sessions.map { ($0["fronts"] as? [Any])?.count ?? 0 }
        #expect(sessions.count == 2 && counts.reduce(0, +) == 1, "\(sessions)")
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
        let settings = try await terminal.screen()
        #expect(settings.contains(" icanon") && !settings.contains("-icanon"), "\(settings)")
        #expect(try await terminal.isOnAlternateScreen() == false)
    }

    @Test func `who takes over is alone with the first session, and not with those that follow`()
        async throws
    {
        let place = try await Workplace(app: "cart").started()
        let first = try await place.front()
        let lunch = try await place.front(["--session", "lunch"])
        let terminal = try await terminal(of: place, .usual, "attach --take-over")
        try await terminal.shows("  lunch        1 front")
        try await terminal.press("Enter")
        try await terminal.shows("Skillet Cornbread")
        try await first.reads { $0.type == "detached" }
        #expect(await first.child.exit() == 0)
        try await terminal.press("C-o")
        try await terminal.shows("  lunch        1 front")
        try await terminal.press("Down", "Enter")
        try await terminal.shows("session lunch")
        let sessions = try await place.sessions { sessions in
            sessions.first { $0.name == "lunch" }?.fronts.count == 2
        }
        let fronts = sessions.first { $0.name == "lunch" }?.fronts.map(\.number) ?? []
        #expect(fronts.contains(lunch.number), "\(fronts)")
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
    }

    /// A session that ends leads back to the list, which says why.
    private func leadsBackToTheList() async throws {
        let terminal = try await terminal(of: place, .usual, "attach rib-house --session lunch")
        try await terminal.shows("RIB HOUSE")
        // An app that was named leads to the list, too.
        try await terminal.press("C-o")
        let list = try await terminal.shows("the list") { $0.contains("napkind · ") }
        #expect(list.contains("  lunch        no fronts"), "\(list)")
        try await terminal.press("Down", "Down", "Down", "Enter")
        try await terminal.shows("RIB HOUSE")
        #expect(try await place.run(["kill", "lunch"]).status == 0)
        try await terminal.shows("the list, and why") { screen in
            screen.contains("SESSION") && screen.contains("ended by")
        }
        try await terminal.press("Home")
        try await terminal.shows("napkind · ")
    }

    /// A signal at the list gives the terminal back.
    private func givesTheTerminalBack(_ signal: Int32) async throws {
        let terminal = try await terminal(of: place)
        try await terminal.shows("napkind · ")
        let client = Vitals.processes(mentioning: place.socket).first { pid in
            // A process that has ended meanwhile is not it.
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            return name == "napkin-client\n"
        }
        kill(try #require(client), signal)
        try await terminal.shows("ended with 0")
        #expect(try await terminal.isOnAlternateScreen() == false)
    }

    @Test func `the list leads to each app and back, with sessions and daemons that end`()
        async throws
    {
        // Without a terminal the apps are named, and nothing is started.
        try await place.fails(["attach"], 64, saying: ["needs the name of an app", "client apps"])
        let daemon = try await place.daemon()
        for mode in [[], ["--plain"], ["--control"]] {
            try await place.fails(
                ["attach"] + mode, 64, saying: ["needs the name of an app", "cart", "rib-house"])
        }
        for signal in [SIGTERM, SIGHUP, SIGINT] { try await givesTheTerminalBack(signal) }
        try await findsEachAsItWasLeft()
        try await leadsBackToTheList()
        try await keepsTheList(daemon)
    }

    private func golden(_ scene: String, _ size: TerminalSize) -> GoldenScreen {
        GoldenScreen(scene, columns: size.columns, lines: size.lines)
    }
}
