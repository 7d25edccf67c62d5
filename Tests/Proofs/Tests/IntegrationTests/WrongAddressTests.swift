// WrongAddressTests: paths, names and versions that lead nowhere, and the sentence that helps.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WrongAddressTests {
    private let place = Workplace()

    @Test
    func `a path that leads nowhere and a name that nothing has are told, with what is there`()
        async throws
    {
        try await emptyWordsAreRefused()
        let (there, file) = (place.directory, place.directory + "/file")
        try Data().write(to: URL(fileURLWithPath: file))
        let long = there + "/" + String(repeating: "x", count: 108) + ".sock"
        let tooLong = ["107", "choose a shorter one with --socket PATH"]
        let clients: [(command: [String], socket: String, status: Int32, words: [String])] = [
            (
                ["ping", "--no-spawn"], place.socket, 69,
                ["no napkind at \(place.socket)", "napkind --socket \(place.socket)"]
            ),
            (["ls"], there + "/no/n.sock", 69, ["no napkind at \(there)/no/n", "check the path"]),
            (["ls"], file + "/n.sock", 69, [file, "a file, not a directory", "check the path"]),
            (["ls"], file, 69, ["\(file) is not a socket", "--socket"]),
            (["ls"], there, 69, ["\(there) is not a socket", "--socket"]),
            (["ping"], long, 64, tooLong),
        ]
        for (command, socket, status, words) in clients {
            try await place.fails(command, socket: socket, status, saying: words)
        }
        let daemons: [(socket: String, status: Int32, words: [String])] = [
            (file + "/n.sock", 71, ["it is not a directory", "--socket PATH"]),
            (file, 71, ["a file that is not a socket is there", "--socket PATH"]),
            (long, 64, tooLong),
        ]
        for (socket, status, words) in daemons {
            try await place.refuses(
                ["--socket", socket, "--state-dir", place.state], status, saying: words)
        }
        try await namesAreAnswered()
    }

    @Test func `a path that is too long for a worker's socket beside it`() async throws {
        let room = 107 - place.directory.utf8.count - "//n".utf8.count
        let directory = place.directory + "/" + String(repeating: "x", count: room)
        let socket = directory + "/n"
        let daemon = try Child(
            Product.path("napkind"),
            ["--socket", socket, "--state-dir", place.state, "--ready-fd", "1"],
            environment: place.environment)
        _ = try await daemon.line { $0.hasPrefix("ready") }
        try await place.fails(
            ["attach", "cart", "--control"], socket: socket, 66,
            saying: ["manifest that is refused", "cart.sock", "107", "--socket PATH"])
    }

    /// A name that nothing has is answered with those that there are.
    private func namesAreAnswered() async throws {
        try await place.daemon()
        let unknown = ["there is no session", "nope", "napkin-client ls"]
        for arguments in [["tree", "nope"], ["kill", "nope"], ["send", "nope", "a.b", "c()"]] {
            try await place.fails(arguments, 66, saying: unknown)
        }
        for mode in ["--control", "--plain"] {
            try await place.fails(
                ["attach", "rib-hose", mode], 66,
                saying: [
                    "hosts no app 'rib-hose'", "did you mean 'rib-house'?",
                    "it hosts cart, characters, rib-house, transcription",
                ])
        }
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        let mistakes: [(arguments: [String], status: Int32, words: [String])] = [
            (
                ["attach", "rib-house", "--control", "--session", "a b"], 65,
                ["'a b' is not a valid session name", "letters, digits"]
            ),
            (["kill", "rib-hosue"], 66, ["did you mean 'rib-house'?"]),
            (["send", "nope", "a.b", "c()"], 66, ["there is no session 'nope'", "rib-house"]),
            (
                ["send", "rib-hose", Feature.loggedOut, "didTapLogin()"], 66,
                ["'rib-hose'", "did you mean 'rib-house'?"]
            ),
            (
                ["send", "rib-house", "rib-house.loged-out", "didTapLogin()"], 66,
                ["did you mean 'rib-house.logged-out'?"]
            ),
            (["send", "rib-house", Feature.pitBoard, "didTapBack()"], 66, ["is not mounted"]),
            (
                ["send", "rib-house", "rib-house.pit", "didTapBack()"], 66,
                ["has no feature", Feature.loggedOut]
            ),
            (
                ["send", "rib-house", Feature.loggedOut, "didTapLogon()"], 66,
                ["has no event", "did you mean 'didTapLogin()'?"]
            ),
            (
                ["send", "rib-house", Feature.loggedOut, "didTapLogin()", "1"], 65,
                ["takes 0 arguments, not 1"]
            ),
            (
                ["send", "rib-house", Feature.loggedOut, "didTapLogin()", "-1"], 65,
                ["takes 0 arguments, not 1"]
            ),
            (
                ["send", "rib-house", Feature.loggedOut, "didTapLogin()", "Joe"], 65,
                [
                    "is not JSON",
                    "napkin-client send rib-house rib-house.logged-out 'didTapLogin()' '\"Joe\"'",
                ]
            ),
        ]
        for mistake in mistakes {
            try await place.fails(mistake.arguments, mistake.status, saying: mistake.words)
        }
    }

    /// A value that a shell has left empty is refused, by both programs.
    private func emptyWordsAreRefused() async throws {
        let others = ["--socket", place.socket, "--state-dir", place.state]
        for option in ["--socket", "--state-dir", "--ready-fd", "--log-level", "--apps"] {
            for words in [[option, ""], ["\(option)="]] {
                try await place.refuses(
                    others + words, 64, saying: [option, "followed by nothing"])
            }
        }
        for words in [["kill", ""], ["attach", "rib-house", "--session", ""], [""]] {
            let child = try Child(Product.path("napkin-client"), words)
            #expect(await child.exit() == 64, "\(words)")
            expectAdvice(await child.allErrors(), from: "napkin-client", [])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory).isEmpty)
    }
}
