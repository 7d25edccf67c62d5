// PlainInputTests: a session that is read and driven line by line, through real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PlainInputTests {
    private let place = Workplace.questions()

    private func attached() async throws -> Child {
        let plain = try place.client(["attach", Question.app, "--plain"])
        _ = try await plain.line { $0.contains("connected") }
        return plain
    }

    /// A script is asked, told what fails, and answered before it ends.
    private func isAsked() async throws {
        let plain = try await attached()
        let steps = [
            ("empty", "Empty the desk?"), ("later", "[F2] 1 question"),
            ("F2", "[n] No  [y] Yes  [Esc] Later"), ("Yes", "Outcome: \"yes\""),
            ("fail", "! "), ("open sesame", "! nothing here is called 'open sesame'; ? lists"),
        ]
        var seen = 0
        for (word, words) in steps {
            try plain.write(word)
            let (index, line) = try await plain.line(from: seen) { $0.contains(words) }
            if word == "fail" { #expect(line.contains("the drawer is locked"), "\(line)") }
            seen = index + 1
        }
        try plain.write("write")
        plain.closeInput()
        #expect(await plain.exit() == 0)
        let tree = try await place.run(["tree", Question.app])
        #expect(tree.lines.contains { $0.contains(Question.note) })
    }

    /// A terminal that cannot be drawn on takes lines.
    private func terminalTakesLines() async throws {
        let terminal = try await Tmux(client: "attach questions", of: place, before: "TERM=dumb ")
        try await terminal.shows("connected")
        try await terminal.type("empty")
        try await terminal.shows("Empty the desk?")
        try await terminal.type("n")
        try await terminal.shows("the outcome", where: { $0.contains("Outcome: \"no\"") })
    }

    @Test func `a script and a terminal that cannot be drawn on are asked, and nobody who is mute`()
        async throws
    {
        try await place.daemon()
        let plain = try await attached()
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
        _ = try await watcher.line { $0.contains(#"Outcome: "noFront""#) }
        watcher.signal(SIGTERM)
        #expect(await watcher.exit() == 0)
        #expect(!watcher.lines.contains("Empty the desk?"))
        try await terminalTakesLines()
        try await isAsked()
    }
}
