// BannerTests: what a root says is seen in a terminal, whatever lies over the root's view.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BannerTests {
    private let place = Workplace(
        apps: [InstalledApp("station", worker: "StationWorker", front: "StationClient")],
        app: "station")
    private static let call = "▸ The train to Napkinville is late."

    private func client(_ arguments: String) throws -> String {
        "'\(try Product.path("StationClient"))' \(arguments) --socket '\(place.socket)'"
    }

    @Test
    func `an effect of a covered root is seen above the page, on every front, until it is heard`()
        async throws
    {
        defer { place.cleanUp() }
        try await place.daemon()
        let terminal = try await Tmux(
            place, columns: 80, lines: 24, try client("attach station"))
        try await terminal.shows("[p] Platform")
        try await terminal.press("p")
        try await terminal.shows("the platform covers the hall") { screen in
            screen.contains("Hall › Platform 1") && !screen.contains("[p] Platform")
        }
        try await terminal.press("w")
        let screen = try await terminal.shows("the call, with the page below") { screen in
            screen.contains(Self.call) && screen.contains("[w] Whistle")
        }
        #expect(screen.hasPrefix("Hall › Platform 1\n\(Self.call)"), "\(screen)")
        #expect(!screen.contains("[p] Platform"))
        try await terminal.press("x")
        try await terminal.shows("no call") { screen in
            !screen.contains(Self.call) && screen.contains("[w] Whistle")
        }
    }

    @Test func `plain text has it before the page`() async throws {
        defer { place.cleanUp() }
        try await place.daemon()
        let plain = Child(
            try Spawned(
                Product.path("StationClient"),
                ["attach", "station", "--plain", "--socket", place.socket]))
        _ = try await plain.line { $0.contains("Hall") }
        for event in [
            ("station.hall", "didTapPlatform()"), ("station.platform", "didTapWhistle()"),
        ] {
            let (status, _, errors) = try await place.run(["send", "station", event.0, event.1])
            #expect(status == 0, "\(errors)")
        }
        _ = try await plain.line { $0 == Self.call }
        _ = try await plain.line { $0 == "Platform 1" }
        plain.signal(SIGTERM)
        #expect(await plain.exit() == 0)
    }
}
