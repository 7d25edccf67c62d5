// SessionStartTests: sessions that run with nobody there, and what an app is told of a session.

import Foundation
import ProofSupport
import Testing

/// A workplace whose daemon has an app with the session `main`.
private struct Shop {
    let place: Workplace
    let daemon: Child

    static let till = "starts.till"

    init(environment: [String: String] = [:]) async throws {
        place = Workplace(apps: InstalledApp.starts(), app: "till", environment: environment)
        daemon = try await place.daemon(["--log-level", "info"])
    }

    /// What the sessions have noted when they were opened: `main in 4711`.
    var notes: [String] {
        get throws {
            let file = place.directory + "/data/napkin/till/opened"
            guard FileManager.default.fileExists(atPath: file) else { return [] }
            return try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }

    /// Asks for the sessions until that many have been opened. No front is there for that.
    func opens(_ count: Int) async throws -> [ListedSession] {
        try await place.sessions { _ in
            // A file that cannot be read is not there yet.
            (try? notes.count) == count
        }
    }

    /// Returns when the app's workers have registered so often.
    func registers(_ times: Int) async throws {
        try await daemon.errors {
            $0.components(separatedBy: "worker registered").count > times
        }
    }

    /// What a session shows of its context.
    func context(of session: String) async throws -> [String] {
        let front = try await place.front(["--session", session])
        try await front.shows { $0.value(Self.till, "present(session:)") != nil }
        let value = front.screen.value(Self.till, "present(session:)") ?? ""
        return try JSONDecoder().decode([String].self, from: Data(value.utf8))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct SessionStartTests {
    @Test func `a session is opened with the daemon, once, and with each next worker`()
        async throws
    {
        let shop = try await Shop()
        // The first answer has it: a tool waits for a worker that is just starting.
        let first = try await shop.place.sessions()
        #expect(first.map(\.name) == ["main"] && first[0].fronts.isEmpty)
        let tree = try await shop.place.run(["tree", "main", "--json"])
        #expect(tree.status == 0 && tree.lines.joined().contains(Shop.till), "\(tree)")
        _ = try await shop.opens(1)
        #expect(try shop.notes == ["main in \(try await shop.place.workerPID())"])
        try await isThereAgain(shop)
        // The next napkind finds it with its worker, and opens no other.
        let opened = try shop.notes.count
        let pid = try await shop.place.workerPID()
        try await killed(shop.daemon)
        try await shop.place.daemon()
        #expect(try await shop.place.sessions().map(\.name) == ["main"])
        #expect(try await shop.place.workerPID() == pid)
        let front = try await shop.place.front(["--session", "main"])
        try await front.shows { $0.value(Shop.till, "present(opened:)") == #"["main"]"# }
        #expect(try shop.notes.count == opened)
    }

    /// It is there again with the next worker, also one that was killed before.
    private func isThereAgain(_ shop: Shop) async throws {
        // No front asks for it.
        let first = try await shop.place.workerPID()
        kill(first, SIGKILL)
        try await shop.registers(2)
        #expect(try await shop.place.sessions().map(\.name) == ["main"])
        _ = try await shop.opens(2)
        let pid = try await shop.place.workerPID()
        #expect(try pid != first && shop.notes == ["main in \(first)", "main in \(pid)"])
        #expect(try await shop.place.listed()?["crashes"] as? Int == 1)
        // One that is killed is gone until then, and its name is kept.
        try #require(try await shop.place.run(["kill", "main"]).status == 0)
        #expect(try await shop.place.sessions().isEmpty)
        let other = try await shop.place.run(["attach", "guest", "--session", "main", "--control"])
        #expect(other.status == 65)
        #expect(other.errors.contains("session 'main' belongs to till"), "\(other.errors)")
        kill(pid, SIGKILL)
        try await shop.registers(3)
        #expect(try await shop.place.sessions().map(\.name) == ["main"])
    }

    @Test(arguments: [
        ("aside,late lunch", ["app 'guest'", "'late lunch' is not a valid session name"]),
        ("main", ["'till' and 'guest'", "'main'", "another name"]),
    ])
    func `names that cannot be opened end a program without napkind in words`(
        names: String, words: [String]
    ) async throws {
        let place = Workplace(environment: ["GUEST_STARTS": names])
        let daemon = Child(try place.spawn(["--in-process"], program: "StartWorker"))
        #expect(await daemon.exit() == 70)
        let errors = await daemon.allErrors()
        for word in words { #expect(errors.contains(word), "\(word) is not in \(errors)") }
    }

    // MARK: - What the app is told

    /// An app has directories of its own, and a session its id, also when it is renamed.
    private func isToldOfItsContext(_ shop: Shop) async throws {
        let context = try await shop.context(of: "main")
        let expected = ["data", "cache"].map { shop.place.directory + "/\($0)/napkin/till" }
        #expect(context.suffix(2) == expected[...])
        for directory in expected {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        try #require(try await shop.place.run(["rename", "main", "supper"]).status == 0)
        #expect(try await shop.context(of: "main").prefix(2) == ["main", "main-2"])
        #expect(try await shop.context(of: "supper").prefix(2) == ["main", "main"])
        #expect(try await shop.context(of: "main-2").prefix(2) == ["main-2", "main-2-2"])
    }

    @Test func `a directory that cannot be made is named, and the app has another`() async throws {
        let shop = try await Shop(environment: ["XDG_DATA_HOME": "/proc/none"])
        let instead = shop.place.state + "/apps/till/data"
        #expect(try await shop.context(of: "main").suffix(2).first == instead)
        let attributes = try FileManager.default.attributesOfItem(atPath: instead)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        let logs = try shop.place.client(["logs", "till", "--follow"])
        _ = try await logs.line { $0.contains("/proc/none") && $0.contains(instead) }
    }

    // MARK: - send --create

    private func rings(_ session: String, _ more: String...) -> [String] {
        ["send", session, Shop.till, "ring()"] + more
    }

    /// An event opens its session, or finds it.
    private func isOpenedByAnEvent(_ shop: Shop) async throws {
        let steps: [(arguments: [String], lines: [String])] = [
            (rings("main"), ["1"]),
            (rings("main", "--create"), ["2"]),
            (rings("main", "--create", "--app", "till"), ["3"]),
            (rings("lunch", "--create", "--app", "till"), ["1"]),
            // It has stayed.
            (rings("lunch"), ["2"]),
            (rings("lunch", "--create"), ["3"]),
            // The app of the session's own name.
            (rings("guest", "--create"), ["1"]),
        ]
        for (arguments, lines) in steps {
            let (status, found, errors) = try await shop.place.run(arguments)
            #expect(status == 0 && found == lines, "\(arguments): \(found) \(errors)")
        }
        #expect(try await shop.place.sessions().map(\.name) == ["guest", "lunch", "main"])
    }

    @Test
    func `an event opens its session, what cannot is refused, and each session has its context`()
        async throws
    {
        let shop = try await Shop()
        let wrong: [(arguments: [String], status: Int32, words: [String])] = [
            (rings("lunch"), 66, ["no session 'lunch'"]),
            (rings("lunch", "--create"), 66, ["no session 'lunch'", "--app", "guest, till"]),
            (rings("lunch", "--create", "--app", "tll"), 66, ["no app 'tll'", "till"]),
            (rings("main", "--create", "--app", "guest"), 65, ["'main' belongs to till"]),
            (rings("late lunch", "--create", "--app", "till"), 65, ["not a valid session name"]),
        ]
        for (arguments, status, words) in wrong {
            let (found, _, errors) = try await shop.place.run(arguments)
            #expect(found == status, "\(arguments): \(errors)")
            for word in words { #expect(errors.contains(word), "\(word) is not in \(errors)") }
        }
        #expect(try await shop.place.sessions().map(\.name) == ["main"])
        // One that cannot be sent leaves none behind.
        for unsent in [["sing()"], ["ring()", "1"]] {
            let create = ["--create", "--app", "till"]
            let (status, _, _) = try await shop.place.run(
                ["send", "ghost", Shop.till] + unsent + create)
            #expect(status == (unsent.count == 1 ? 66 : 65))
        }
        #expect(try await shop.place.sessions().map(\.name) == ["main"])
        // An event that fails has opened its session all the same.
        let failed = try await shop.place.run(
            ["send", "lunch", Shop.till, "jam()", "--create", "--app", "till"])
        #expect(failed.status == 1 && failed.errors.contains("stuck"), "\(failed)")
        #expect(try await shop.place.sessions().map(\.name) == ["lunch", "main"])
        try await isOpenedByAnEvent(shop)
        try await isToldOfItsContext(shop)
    }
}
