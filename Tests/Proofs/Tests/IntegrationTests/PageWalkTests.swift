// PageWalkTests: a page shows what a terminal shows, screen by screen.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PageWalkTests {
    /// The page that the keys are pressed on shows the words of each screen of the walk. Meanwhile
    /// a second tab and a terminal look at the same session, and show the same.
    @Test(arguments: Walk.all)
    func `two tabs and a terminal show the same session`(walk: Walk) async throws {
        try await walk.onPage { shown, place in
            let client = try Product.path("napkin-client")
            let terminal = try await Tmux(
                place, columns: 80, lines: 24,
                "'\(client)' attach \(walk.app) --socket '\(place.socket)'")
            let second = try await shown.browser.open(try await shown.page.text("location.href"))
            try await shown.browser.front(shown.page)
            for step in walk.steps {
                try await shown.page.follow(step, of: walk)
                try await second.contains(
                    { ScreenWords(screen: try await terminal.screen()) },
                    "the second tab at \(step.screen)")
            }
        }
    }
}

extension Walk {
    /// Shows the walk's app in a browser.
    func onPage(_ body: (ShownPage, Workplace) async throws -> Void) async throws {
        let server = hasServer ? try await CharactersServer() : nil
        let place = Workplace(
            daemon: daemon, apps: apps, app: app, tick: tick,
            environment: server.map { ["CHARACTERS_SERVER": $0.address] } ?? [:])
        try transcript?.joined(separator: "\n").write(
            toFile: place.directory + "/take", atomically: true, encoding: .utf8)
        let take = ["--set", "transcription.transcript=\(place.directory)/take"]
        try await withPage(place, daemon: transcript == nil ? [] : take) { shown in
            try await body(shown, place)
        }
    }
}

extension BrowserPage {
    /// Does a step of a walk, and returns when its screen's words are there.
    func follow(_ step: Walk.Step, of walk: Walk) async throws {
        for key in step.keys { try await enter(key) }
        let screen = try GoldenScreen("\(walk.name)/\(step.screen)", columns: 80, lines: 24).text
        try await contains({ ScreenWords(screen: screen) }, step.screen)
    }
}
