// PlainInputTests: a session that is read and driven line by line, through real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PlainInputTests {
    private func withPlain(_ body: (Workplace, Child) async throws -> Void) async throws {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        let plain = try place.client(["attach", Question.app, "--plain"])
        _ = try await plain.line { $0.contains("connected") }
        try await body(place, plain)
    }

    @Test func `a question is read, put aside, taken up and answered`() async throws {
        try await withPlain { _, plain in
            try plain.write("empty")
            _ = try await plain.line { $0 == "Empty the desk?" }
            _ = try await plain.line { $0.hasPrefix("[n] No  [y] Yes  [Esc] Later") }
            try plain.write("later")
            _ = try await plain.line { $0.contains("[F2] 1 question") }
            try plain.write("F2")
            _ = try await plain.line { $0 == "Empty the desk?" }
            try plain.write("Yes")
            _ = try await plain.line { $0.contains("Outcome: \"yes\"") }
            plain.closeInput()
            #expect(await plain.exit() == 0)
        }
    }

    @Test func `an event that fails says why, and what is not there is refused`() async throws {
        try await withPlain { _, plain in
            try plain.write("fail")
            _ = try await plain.line { $0.hasPrefix("! ") && $0.contains("the drawer is locked") }
            try plain.write("open sesame")
            _ = try await plain.line {
                $0 == "! nothing here is called 'open sesame'; ? lists what can be entered"
            }
        }
    }

    @Test func `the events of a script are answered before it ends`() async throws {
        try await withPlain { place, plain in
            try plain.write("write")
            plain.closeInput()
            #expect(await plain.exit() == 0)
            let tree = try await place.run(["tree", Question.app])
            #expect(tree.lines.contains { $0.contains(Question.note) })
        }
    }

    @Test func `a terminal that cannot be drawn on takes lines`() async throws {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        let client = try Product.path("napkin-client")
        let terminal = try await Tmux(
            place, columns: 80, lines: 24,
            "TERM=dumb '\(client)' attach questions --socket '\(place.socket)'")
        try await terminal.shows("connected")
        try await terminal.type("empty")
        try await terminal.shows("Empty the desk?")
        try await terminal.type("n")
        try await terminal.shows("the outcome", where: { $0.contains("Outcome: \"no\"") })
    }

    @Test func `who cannot say anything is asked nothing`() async throws {
        try await withPlain { place, plain in
            plain.closeInput()
            #expect(await plain.exit() == 0)
            let watcher = Child(
                try Spawned(
                    "/bin/sh",
                    [
                        "-c", "exec \"$0\" attach questions --plain --socket \"$1\" < /dev/null",
                        try Product.path("napkin-client"), place.socket,
                    ]))
            _ = try await watcher.line { $0.contains("connected") }
            let (status, _, _) = try await place.run(
                ["send", Question.app, Question.desk, "didTapEmpty()"])
            #expect(status == 0)
            _ = try await watcher.line { $0.contains("Outcome") }
            watcher.signal(SIGTERM)
            #expect(await watcher.exit() == 0)
            #expect(!watcher.lines.contains("Empty the desk?"))
        }
    }
}
