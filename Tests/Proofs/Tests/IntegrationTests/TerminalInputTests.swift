// TerminalInputTests: what a terminal sends, clicks, pastes and keys of dialogs, to the client.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TerminalInputTests {
    private func withTerminal(
        _ app: String, environment: [String: String] = [:],
        _ body: (Workplace, Terminal) async throws -> Void
    ) async throws {
        let place = try await Workplace(app: app).started()
        let terminal = try Terminal(
            Product.path("napkin-client"), ["attach", app, "--socket", place.socket],
            columns: 80, lines: 24,
            environment: place.environment.merging(environment) { $1 })
        try await body(place, terminal)
    }

    /// Ticks of the kernel's clock for which a process has run, 100 a second; proc_pid_stat(5).
    private static func ticks(of pid: Int32) throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // After the name, which may contain anything: the fields from the third on.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    @Test func `a long text costs as much as a paste where the terminal does not say it is one`()
        async throws
    {
        try await withTerminal("cart") { _, terminal in
            try await terminal.draws("Coupon")
            // With something in the cart, its list is between the menu and the coupon.
            terminal.type("\r")
            try await terminal.draws("×")
            terminal.type("\t\t")
            let before = try Self.ticks(of: terminal.pid)
            for _ in 0..<13 { terminal.type(String(repeating: "x", count: 1000)) }
            let shown = terminal.drawnCount
            terminal.type("smoked\u{C}")
            try await terminal.draws("smoked", after: shown)
            let ticks = try Self.ticks(of: terminal.pid) - before
            print("13,000 letters: \(ticks * 10) ms of the processor")
            #expect(ticks < 100)
        }
    }

    /// `[l] Login` is in the fourth line.
    private static let click = "\u{1B}[<0;3;4M"

    @Test func `a click presses a button, nothing in a paste does, and the line says who is there`()
        async throws
    {
        try await withTerminal(
            "rib-house", environment: ["TERM": "xterm-256color"]
        ) { place, terminal in
            for word in ["Login", "front"] { try await terminal.draws(word) }
            let front = try await place.front()
            try await front.mounts(Feature.loggedOut)
            #expect(terminal.drawn.contains("\u{1B}[?2004h"))
            terminal.type("\u{1B}[200~qlq\u{1B}[201~")
            terminal.type(Self.click)
            try await terminal.draws("Logout")
            try await front.mounts(Feature.loggedIn)
            // Drawn anew as a whole, the line says how many there are by now.
            let shown = terminal.drawnCount
            terminal.type("\u{C}")
            try await terminal.draws("fronts", after: shown)
            terminal.type("q")
            #expect(await terminal.exit() == 0)
            #expect(terminal.drawn.contains("1000h"))
            #expect(terminal.drawn.contains("\u{1B}[?2004l"))
            // Without a mouse the terminal keeps its clicks.
            let mouseless = try Terminal(
                Product.path("napkin-client"), ["attach", "rib-house", "--socket", place.socket],
                columns: 80, lines: 24,
                environment: place.environment.merging([
                    "TERM": "xterm-256color", "NAPKIN_MOUSE": "0",
                ]) { $1 })
            try await mouseless.draws("Logout")
            mouseless.type("q")
            #expect(await mouseless.exit() == 0)
            #expect(!mouseless.drawn.contains("1000h"))
        }
    }
}
