// WrongAddressTests: paths, names and versions that lead nowhere, and the sentence that helps.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WrongAddressTests {
    private let place = Workplace()

    // MARK: - Paths

    @Test func `no daemon and --no-spawn`() async throws {
        try await place.fails(
            ["ping", "--no-spawn"], 69,
            saying: ["no napkind at \(place.socket)", "napkind --socket \(place.socket)"])
    }

    @Test func `the default socket is named, too, when no daemon may be started`() async throws {
        let child = try Child(
            Product.path("napkin-client"), ["ls", "--no-spawn"],
            environment: ["XDG_RUNTIME_DIR": place.directory])
        #expect(await child.exit() == 69)
        expectAdvice(
            await child.allErrors(), from: "napkin-client",
            ["no napkind at \(place.directory)/napkin/napkind.sock", "napkind --socket"])
    }

    @Test func `a directory that is not there`() async throws {
        let socket = place.directory + "/no/such/n.sock"
        try await place.fails(
            ["ls"], socket: socket, 69, saying: ["no napkind at \(socket)", "check the path"])
    }

    @Test func `a file where a directory should be`() async throws {
        try Data().write(to: URL(fileURLWithPath: place.directory + "/file"))
        let socket = place.directory + "/file/n.sock"
        try await place.fails(
            ["ls"], socket: socket, 69,
            saying: [socket, "a file, not a directory", "check the path"])
        try await place.refuses(
            ["--socket", socket, "--state-dir", place.state], 71,
            saying: ["it is not a directory", "--socket PATH"])
    }

    @Test func `a file and a directory that are no sockets`() async throws {
        let file = place.directory + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        for path in [file, place.directory] {
            try await place.fails(
                ["ls"], socket: path, 69, saying: ["\(path) is not a socket", "--socket"])
        }
        try await place.refuses(
            ["--socket", file, "--state-dir", place.state], 71,
            saying: ["a file that is not a socket is there", "--socket PATH"])
    }

    @Test func `a path that is too long`() async throws {
        let path = place.directory + "/" + String(repeating: "x", count: 108) + ".sock"
        let words = ["107", "choose a shorter one with --socket PATH"]
        try await place.fails(["ping"], socket: path, 64, saying: words)
        try await place.refuses(["--socket", path, "--state-dir", place.state], 64, saying: words)
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

    // MARK: - Names

    @Test func `a name that nothing has is answered with those that there are`() async throws {
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
}
