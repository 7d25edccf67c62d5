// ConfigurationTests: an app's file of settings and `--set`, and what an app logs.

import Foundation
import ProofSupport
import Testing

/// A daemon whose apps `till` and `guest` have settings.
private struct Shop {
    let place = Workplace(apps: InstalledApp.starts(), app: "till")

    var file: String { place.directory + "/config/napkin/till.yaml" }

    /// Writes the app's file.
    func configure(_ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(
            atPath: place.directory + "/config/napkin", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    /// What a session of the app was given.
    func values(of app: String = "till") async throws -> String {
        let front = try await place.front(["--session", "\(app)-values"], app: app)
        try await front.shows { $0.value("starts.till", "present(configured:)") != nil }
        return front.screen.value("starts.till", "present(configured:)") ?? ""
    }

    /// What the app's program says when it does not start.
    func refusal(_ arguments: [String] = []) async throws -> (status: Int32, errors: String) {
        let daemon = Child(
            try place.spawn(["--in-process"] + arguments, program: "StartWorker"))
        return (await daemon.exit(), await daemon.allErrors())
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationTests {
    @Test func `a value is the command line's, else the file's, else the default`() async throws {
        let shop = Shop()
        try shop.configure("# The till\ncurrency: yen\ndrawers: 2\n\ndrawer:\n  patience: 1.5m\n")
        let daemon = try await shop.place.daemon(
            ["--set", "till.drawers=3", "--set", "till.drawers=4", "--log-level", "info"])
        #expect(try await shop.values() == #"["4","yen","90.0 seconds"]"#)
        #expect(try await shop.values(of: "guest") == #"["1","euro","30.0 seconds"]"#)
        // A restarted worker has the words of --set, and the file as it is now.
        try shop.configure("{drawers: 2, currency: yen}")
        try await shop.place.killWorker()
        try await daemon.errors { $0.components(separatedBy: "worker registered").count > 3 }
        #expect(try await shop.values() == #"["4","yen","30.0 seconds"]"#)
    }

    @Test
    func `without napkind the values are the same, mistakes in --set and the answers to tools`()
        async throws
    {
        let shop = Shop()
        try shop.configure("drawers: 2")
        let daemon = try await shop.place.daemon(
            ["--in-process", "--set", "till.currency=yen"], program: "StartWorker")
        try await answersTools(shop.place, daemon)
        #expect(try await shop.values() == #"["2","yen","30.0 seconds"]"#)
        // It does not start with a mistake in --set, and repeats it.
        let mistakes = [
            ("till.drawers=0", "must be a whole number from 1 to 9"),
            ("till.drawers", "it has no value: use APP.KEY=VALUE"),
            ("till.drawer=1", "has no setting 'drawer' (did you mean 'drawers'?)"),
            (
                "shop.drawers=1",
                "it names no app: use APP.KEY=VALUE, where APP is one of till, guest"
            ), ("drawers=1", "it names no app"), ("till.=1", "has no setting ''"),
        ]
        for (word, words) in mistakes {
            let (status, errors) = try await Shop().refusal(["--set", word])
            #expect(status == 64, "\(errors)")
            #expect(errors.contains("--set \(word): ") && errors.contains(words), "\(errors)")
        }
    }

    @Test(arguments: [
        ("currency: yen\ndrawers: four\n", ":2: 'drawers' is 'four', but must be a whole number"),
        ("drawers: 10", ":1: 'drawers' is '10', but must be a whole number from 1 to 9"),
        ("\ncurrency: pound", ":2: 'currency' is 'pound', but must be one of euro, yen"),
        ("drawer:\n  patience: 3", ":2: 'drawer.patience' is '3', but must be a duration such as"),
        ("drawrs: 2", ":1: the app 'till' has no setting 'drawrs' (did you mean 'drawers'?)"),
        ("drawers:\n  - 2\n", ":1: 'drawers' is a list: a setting has one value"),
        ("drawers: 2\ncurrency: yen\ndrawers: 3", "drawers occurs more than once"),
        (
            "drawer.patience: 3s\ndrawer:\n  patience: 4s",
            ":3: 'drawer.patience' occurs more than"
        ),
        ("drawers: 2\n  currency: yen\n", ":2: "),
        ("drawers", ":1: it must consist of lines such as `key: value`"),
        ("drawers: 2\u{0}", ": "),
        (String(repeating: "# filled\n", count: 8000), "larger than 65536 bytes"),
        ((0...256).map { "a\($0): 1\n" }.joined(), ":257: more than 256 values"),
        ((0...8).map { String(repeating: " ", count: $0) + "a:\n" }.joined(), "8 levels"),
    ])
    func `napkind does not start with a mistake in a file, and names its place`(
        text: String, words: String
    ) async throws {
        let shop = Shop()
        try shop.configure(text)
        let (status, errors) = try await shop.refusal()
        #expect(status == 78 && errors.contains(shop.file), "\(errors)")
        #expect(errors.contains(words), "\(errors)")
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "currency: 'yen'\n"])
    func `a file may be empty, nobody else may write it, and what an app logs is in its log`(
        text: String
    ) async throws {
        let shop = Shop()
        try shop.configure(text, mode: 0o646)
        let (status, errors) = try await shop.refusal()
        #expect(status == 78 && errors.contains("everybody may write to it"), "\(errors)")
        try shop.configure(text)
        try await shop.place.daemon()
        // What an app logs is in its log, with app and session.
        let logs = try shop.place.client(["logs", "till", "--follow"])
        _ = try await logs.line { line in
            ["till opened", "app.id=till", "feature.id=starts.till", "session.id=main", "drawer=1"]
                .allSatisfy(line.contains)
        }
    }

    /// An app without napkind answers tools as napkind does.
    private func answersTools(_ place: Workplace, _ daemon: Child) async throws {
        #expect(try await place.workerPID() == daemon.pid)
        // It is ended and started as a program.
        for words in [["stop", "till", "--force"], ["restart", "napkind"]] {
            #expect(try await place.run(words).status == 65)
        }
        #expect(try await place.sessions().map(\.name) == ["main"])
        #expect(try await place.run(["rename", "main", "lunch"]).status == 0)
        #expect(try await place.sessions().map(\.name) == ["lunch"])
        for words in [["status"], ["tree", "lunch"], ["log-level", "debug", "till"]] {
            #expect(try await place.run(words).status == 0, "\(words)")
        }
        #expect(try await place.run(["kill", "lunch"]).status == 0)
        #expect(try await place.sessions().isEmpty)
        let again = try await place.run(["kill", "lunch"])
        #expect(again.status != 0 && again.errors.contains("there is no session 'lunch'"))
    }
}
