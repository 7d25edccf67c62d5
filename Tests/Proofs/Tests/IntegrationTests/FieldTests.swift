// FieldTests: what a person is writing when the connection is lost, and when the worker dies.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FieldTests {
    /// A terminal that shows the workplace's app, and a way to its worker that can be cut.
    private func withTerminal(
        of place: Workplace, _ body: (Detour, Tmux) async throws -> Void
    ) async throws {
        defer { place.cleanUp() }
        try await place.daemon()
        // The worker runs when somebody has asked for it.
        let other = try await place.front()
        let detour = try Detour(around: "\(place.directory)/\(place.app).sock")
        let client = try Product.path("napkin-client")
        let terminal = try await Tmux(
            place, columns: 80, lines: 24,
            "'\(client)' attach \(place.app) --socket '\(place.socket)'")
        try await body(detour, terminal)
        _ = other
    }

    /// The cart, with the beginning of a coupon in its field.
    private func withCoupon(
        _ body: (Workplace, Detour, Tmux) async throws -> Void
    ) async throws {
        let place = Workplace(app: "cart")
        try await withTerminal(of: place) { detour, terminal in
            try await terminal.shows("Skillet Cornbread")
            try await terminal.press("Tab", "smo")
            try await terminal.shows("Coupon  smo_")
            try await body(place, detour, terminal)
        }
    }

    @Test func `a text outlives a cut connection, where it is written on, and the worker`()
        async throws
    {
        try await withCoupon { place, detour, terminal in
            try detour.shut()
            try await terminal.shows("disconnected since")
            try await terminal.press("ke")
            try await terminal.shows("Coupon  smoke_")
            try detour.reopen()
            try await terminal.shows("is connected again") { $0.contains("· connected ·") }
            try await terminal.shows("Coupon  smoke_")
            let killed = Int(try await place.workerPID())
            kill(Int32(killed), SIGKILL)
            // Both fronts are back: the session survives.
            _ = try await place.sessions { sessions in
                sessions.contains { session in
                    session.object["pid"] as? Int != killed && session.fronts.count == 2
                        && session.fronts.allSatisfy { $0.state != "away" }
                }
            }
            try await terminal.shows("the worker was restarted: it was ended by signal 9")
            try await terminal.shows("Coupon  smoke_")
            // Letters stay letters.
            try await terminal.press("10", "Enter")
            try await terminal.shows("Coupon SMOKE10")
        }
    }

    /// A terminal that shows the larder, with a form: two pieces of a supply that is not there.
    private func withForm(
        _ body: (Workplace, Detour, Tmux) async throws -> Void
    ) async throws {
        let place = Workplace(daemon: "QuestionDaemon", apps: InstalledApp.questions, app: "larder")
        try await withTerminal(of: place) { detour, terminal in
            try await terminal.shows("Take pieces …")
            try await terminal.press("4", "2", "Tab", "ribs")
            try await terminal.shows("name: ribs_")
            try await body(place, detour, terminal)
        }
    }

    @Test func `a form outlives the worker, a refused event, and one that could not be sent`()
        async throws
    {
        try await withForm { place, detour, terminal in
            kill(try await place.workerPID(), SIGKILL)
            try await terminal.shows("the worker was restarted")
            try await terminal.shows("name: ribs_")
            try await terminal.press("Enter")
            try await terminal.shows("there are only 0 × ribs")
            try await terminal.shows("name: ribs_")
            try detour.shut()
            try await terminal.shows("disconnected since")
            try await terminal.press("C-u", "ham", "Enter")
            try await terminal.shows("not connected to the session")
            try await terminal.shows("name: ham_")
            try detour.reopen()
            try await terminal.shows("is connected again") { $0.contains("· connected ·") }
            try await terminal.press("Enter")
            try await terminal.shows("has one left") { $0.contains("pieces: 1") }
        }
    }
}
