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

    @Test func `an unknown app is answered with those that there are`() async throws {
        try await place.daemon()
        for mode in ["--control", "--plain"] {
            try await place.fails(
                ["attach", "rib-hose", mode], 66,
                saying: [
                    "hosts no app 'rib-hose'",
                    "it hosts cart, characters, rib-house, transcription",
                ])
        }
    }

    @Test(arguments: [["tree", "nope"], ["kill", "nope"], ["send", "nope", "a.b", "c()"]])
    func `an unknown session`(arguments: [String]) async throws {
        try await place.daemon()
        try await place.fails(
            arguments, 66, saying: ["there is no session", "nope", "napkin-client ls"])
    }

    @Test func `an unknown session beside others is answered with those`() async throws {
        try await place.daemon()
        let front = try await place.front(["--session", "lunch"])
        try await place.fails(
            ["send", "nope", "a.b", "c()"], 66, saying: ["there is no session 'nope'", "lunch"])
        _ = front
    }

    @Test func `an unknown feature, event or argument`() async throws {
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        let mistakes: [(arguments: [String], status: Int32, words: [String])] = [
            ([Feature.pitBoard, "didTapBack()"], 66, ["is not mounted"]),
            (["rib-house.pit", "didTapBack()"], 66, ["has no feature", Feature.loggedOut]),
            ([Feature.loggedOut, "didTapLogon()"], 66, ["has no event", "didTapLogin()"]),
            ([Feature.loggedOut, "didTapLogin()", "1"], 65, ["takes 0 arguments, not 1"]),
            ([Feature.loggedOut, "didTapLogin()", "-1"], 65, ["takes 0 arguments, not 1"]),
            (
                [Feature.loggedOut, "didTapLogin()", "Joe"], 65,
                [
                    "is not JSON",
                    "napkin-client send rib-house rib-house.logged-out 'didTapLogin()' '\"Joe\"'",
                ]
            ),
        ]
        for mistake in mistakes {
            try await place.fails(
                ["send", "rib-house"] + mistake.arguments, mistake.status, saying: mistake.words)
        }
    }

    @Test func `a session name that cannot be one`() async throws {
        try await place.daemon()
        try await place.fails(
            ["attach", "rib-house", "--control", "--session", "a b"], 65,
            saying: ["'a b' is not a valid session name", "letters, digits"])
    }
}
