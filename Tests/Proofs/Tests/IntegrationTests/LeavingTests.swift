// LeavingTests: however a client on a terminal ends, the terminal is as it was before.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LeavingTests {
    private let place = Workplace()

    /// A client on a terminal; when it has ended, the terminal's settings are printed.
    private func attached() async throws -> Tmux {
        let terminal = try await Tmux(client: "attach rib-house", of: place, then: Self.settings)
        try await terminal.shows("connected")
        return terminal
    }

    private func client(of place: Workplace) throws -> Int32 {
        let found = Vitals.processes(mentioning: place.socket).first { pid in
            // A process that has ended meanwhile is not it.
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            return name == "rib-house\n"
        }
        return try #require(found)
    }

    /// The screen of before is there again, input is echoed, and lines are edited.
    private func expectRestored(_ terminal: Tmux) async throws {
        try await terminal.shows("settings:")
        let settings = try await terminal.shows("the end of the settings") { $0.contains("echoke") }
        for flag in ["icanon", "echo", "isig", "icrnl", "opost"] {
            #expect(!settings.contains("-\(flag) "), "\(flag) in \(settings)")
        }
        #expect(!settings.contains("RIB HOUSE"))
        #expect(try await terminal.isOnAlternateScreen() == false)
    }

    private static let settings = "; echo settings: $?; stty -a"

    @Test func `crashes, signals, a suspension and a worker that stands still leave it whole`()
        async throws
    {
        try await place.daemon()
        for signal in [
            SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGHUP, SIGTERM, SIGINT, SIGQUIT,
        ] { try await givesTheTerminalBack(signal) }
        try await canBeSuspended()
        try await doesNotWait()
    }

    /// A crash gives the terminal back, and another signal detaches as well.
    private func givesTheTerminalBack(_ signal: Int32) async throws {
        let terminal = try await attached()
        kill(try client(of: place), signal)
        try await expectRestored(terminal)
        let detaches = [SIGHUP, SIGTERM, SIGINT, SIGQUIT].contains(signal)
        try await terminal.shows("settings: \(detaches ? 0 : 128 + signal)")
    }

    /// Leaving does not wait for a worker that stands still.
    private func doesNotWait() async throws {
        let terminal = try await attached()
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        try await terminal.press("C-c")
        try await expectRestored(terminal)
    }

    /// The client can be suspended, and comes back with the newest screen.
    private func canBeSuspended() async throws {
        let client = try Product.path("napkin-client")
        let terminal = try await Tmux(
            place, columns: 80, lines: 24, "PS1='shell> ' bash --norc --noprofile -i")
        try await terminal.shows("shell>")
        try await terminal.type("'\(client)' attach rib-house --socket '\(place.socket)'")
        try await terminal.shows("connected")
        try await terminal.press("C-z")
        try await terminal.shows("Stopped")
        #expect(try await terminal.isOnAlternateScreen() == false)
        // Meanwhile somebody logs in.
        let (status, _, errors) = try await place.run(
            ["send", "rib-house", "rib-house.logged-out", "didTapLogin()"])
        #expect(status == 0, "\(errors)")
        try await terminal.type("fg")
        try await terminal.shows("Smokey Joe")
        #expect(try await terminal.isOnAlternateScreen())
        try await terminal.press("q")
        try await terminal.shows("shell>")
    }
}
