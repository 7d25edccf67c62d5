// PreviewTests: previews on a terminal and as text, and a program that is built again meanwhile.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PreviewTests {
    private let directory = TemporaryDirectory()
    private var program: String { directory("station") }

    private func terminal(_ arguments: String...) throws -> Terminal {
        try Terminal(
            program, ["preview"] + arguments, columns: 80, lines: 24, environment: [:])
    }

    /// Puts another program in the place of the one that runs, as a linker does.
    private func build(_ product: String) throws {
        try Product.copy(product, to: program + ".new")
        guard rename(program + ".new", program) == 0 else { throw Failure("errno \(errno)") }
    }

    @Test func `a preview goes on as the program that is built meanwhile`() async throws {
        try build("StationClient")
        let terminal = try terminal("a train")
        try await terminal.draws("4:50")
        try await terminal.draws("of 3")
        // A state that the view has: it begins again with the new program.
        var seen = terminal.drawnCount
        terminal.type("x")
        try await terminal.draws("\u{1B}[", after: seen)
        seen = terminal.drawnCount
        try build("StationClientRebuilt")
        try await terminal.draws("7:15", after: seen)
        try await terminal.draws("of 2", after: seen)
        // It is watched as well.
        seen = terminal.drawnCount
        try build("StationClient")
        try await terminal.draws("4:50", after: seen)
        // A file that is executable and no program is not started.
        seen = terminal.drawnCount
        let broken = program + ".new"
        try #require(
            FileManager.default.createFile(
                atPath: broken, contents: Data("\u{7F}".utf8),
                attributes: [.posixPermissions: 0o755]))
        #expect(rename(broken, program) == 0)
        try await terminal.draws("started", after: seen)
        seen = terminal.drawnCount
        try build("StationClientRebuilt")
        try await terminal.draws("7:15", after: seen)
        terminal.type("q")
        #expect(await terminal.exit() == 0)
    }

    @Test func `keys lead to the next preview, the previous one and the list, and so does a lack`()
        async throws
    {
        try build("StationClient")
        let terminal = try terminal()
        for word in ["Hall", "train", "Platform", "previews"] { try await terminal.draws(word) }
        let steps = [
            ("\r", "1 of 3"), ("\u{0E}", "4:50"), ("\u{0E}", "Whistle"), ("\u{10}", "4:50"),
            ("\u{0F}", "Show"), ("\r", "4:50"), ("\u{0E}", "Whistle"),
        ]
        for (key, words) in steps {
            let seen = terminal.drawnCount
            terminal.type(key)
            try await terminal.draws(words, after: seen)
        }
        // A preview that the new program lacks leads to the list.
        let seen = terminal.drawnCount
        try build("StationClientRebuilt")
        try await terminal.draws("'Platform'", after: seen)
        try await terminal.draws("train", after: seen)
        terminal.type("q")
        #expect(await terminal.exit() == 0)
    }

    @Test
    func `a pipe and a shell get names, or with --plain the screens, and a mistake one sentence`()
        async throws
    {
        let client = try Product.path("StationClient")
        let names = try await run(client, ["preview"])
        #expect(names.status == 0 && names.lines == ["Hall", "A train", "Platform"])
        let all = try await run(client, ["preview", "--plain", "--width", "40"])
        #expect(
            all.lines == [
                "—— Hall ——", "Hall", "[p] Platform", "", "—— A train ——", "▸ 4:50 to Memphis",
                "[x] Heard", "Hall", "[p] Platform", "", "—— Platform ——", "Platform 1",
                "[w] Whistle",
            ], "\(all.lines)")
        let one = try await run(client, ["preview", "platform"])
        #expect(one.lines == ["Platform 1", "[w] Whistle"], "\(one.lines)")
        let offered = try await run(
            client,
            ["---completion", "preview", "--", "positional@0", "2", "0", "x", "preview", ""])
        #expect(offered.status == 0 && offered.lines.contains("A train"), "\(offered)")
        let mistakes =
            [
                (["nowhere"], 66, "no preview 'nowhere': there are Hall, A train, Platform"),
                (["lunch", "Hall"], 64, "the previews of 'station', not of 'lunch'"),
            ] as [([String], Int32, String)]
        for (arguments, status, sentence) in mistakes {
            let mistaken = try await run(client, ["preview"] + arguments)
            #expect(mistaken.status == status && mistaken.lines.isEmpty)
            #expect(mistaken.errors.contains(sentence), "\(mistaken.errors)")
        }
        try await goesOnAsTheFront()
    }

    /// napkin-client goes on as the app's own front.
    private func goesOnAsTheFront() async throws {
        let place = Workplace(
            apps: [
                InstalledApp("station", worker: "StationWorker", front: "StationClient"),
                InstalledApp("till", worker: "StartWorker"),
            ], app: "station")
        try await place.daemon()
        let client = try Product.path("napkin-client")
        let socket = ["--socket", place.socket]
        let one = try await run(client, ["preview", "station", "Hall"] + socket)
        #expect(one.status == 0 && one.lines == ["Hall", "[p] Platform"], "\(one)")
        let none = try await run(client, ["preview", "till"] + socket)
        #expect(none.status == 66 && none.errors.contains("'till' names no front"), "\(none)")
    }
}
