// FieldTests: what a person is writing when the connection is lost, and when the worker dies.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FieldTests {
    /// A terminal that shows the cart, with the beginning of a coupon in its field.
    private func withCoupon(
        _ body: (Workplace, Detour, Tmux) async throws -> Void
    ) async throws {
        let place = try Workplace(app: "cart")
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        // The worker runs when somebody has asked for it.
        let other = try await place.front()
        let detour = try Detour(around: place.directory + "/cart.sock")
        let terminal = try await Tmux(
            place, columns: 80, lines: 24,
            "'\(try Product.path("napkin-client"))' attach cart --socket '\(place.socket)'")
        try await terminal.shows("Skillet Cornbread")
        try await terminal.press("Tab", "smo")
        try await terminal.shows("Coupon  smo_")
        try await body(place, detour, terminal)
        _ = (daemon, other)
    }

    @Test func `a text outlives a connection that was cut, and is written on without one`()
        async throws
    {
        try await withCoupon { place, detour, terminal in
            let socket = place.directory + "/cart.sock"
            #expect(rename(socket, socket + ".away") == 0)
            detour.cut()
            try await terminal.shows("disconnected since")
            try await terminal.press("ke")
            try await terminal.shows("Coupon  smoke_")
            #expect(rename(socket + ".away", socket) == 0)
            try await terminal.shows("is connected again") { $0.contains("· connected ·") }
            try await terminal.shows("Coupon  smoke_")
            try await terminal.press("10", "Enter")
            try await terminal.shows("Coupon SMOKE10")
        }
    }

    @Test func `a text outlives the worker, and letters stay letters`() async throws {
        try await withCoupon { place, _, terminal in
            kill(try await place.workerPID(), SIGKILL)
            try await terminal.shows("the worker was restarted")
            try await terminal.shows("Coupon  smo_")
            try await terminal.press("ke10", "Enter")
            try await terminal.shows("Coupon SMOKE10")
        }
    }
}
