// QuarantineTests: an input that ends its worker twice runs no more, over real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct QuarantineTests {
    private static let tally = "tally.tally"
    /// The sum overflows: the handler traps before anything has changed.
    private static let poison = "[\(Int64.max)]"

    private let place = Workplace(apps: InstalledApp.tallies, app: "tally")

    private func started() async throws -> ControlFront {
        try await place.daemon()
        let front = try await place.front(["--session", "main"])
        try await front.mounts(Self.tally)
        #expect(try await front.call(Self.tally, "add(_:)", "[1]").isOK)
        return front
    }

    private func receipts(_ place: Workplace) async throws -> [[String: Any]] {
        let (status, lines, errors) = try await place.run(["crash", "ls", "--json"])
        #expect(status == 0, "\(errors)")
        return try JSON.array(lines.joined())
    }

    /// Calls the poison; returns the number in the fault.
    @discardableResult
    private func poison(_ front: ControlFront) async throws -> Int {
        let bad = try await front.call(Self.tally, "add(_:)", Self.poison)
        let error = try #require(bad.object["error"] as? [String: Any])
        #expect(error["code"] as? String == "quarantined", "\(bad.object)")
        let receipt = try #require(error["receipt"] as? Int, "\(error)")
        let words = "Something went wrong in tally; nothing was lost (receipt \(receipt))"
        #expect(error["message"] as? String == words)
        return receipt
    }

    @Test
    func `an event that traps runs twice, and is set aside, as an equal one is until released`()
        async throws
    {
        let front = try await started()
        #expect(try await poison(front) == 2)
        // The front learns of each death where that is written down.
        let returns = front.seen.filter { $0.type == "resumed" }
        #expect(returns.map { $0.object["receipt"] as? Int } == [1, 2])
        let good = try await front.call(Self.tally, "add(_:)", "[2]")
        #expect(good.object["value"] as? Int == 3)
        let receipts = try await receipts(place)
        #expect(receipts.map { $0["outcome"] as? String } == ["suspect", "setAside"])
        let input = try #require(receipts.last?["input"] as? [String: Any])
        #expect(input["session"] as? String == "main")
        #expect(input["sequence"] as? Int == 2)
        let (status, lines, errors) = try await place.run(["crash", "show", "tally", "2"])
        #expect(status == 0, "\(errors)")
        #expect(
            lines.contains { $0.contains("tally.tally add(\(Int64.max)), event 2") }, "\(lines)"
        )
        #expect(lines.contains { $0.contains("TallyInteractor") }, "\(lines)")
        for file in try FileManager.default.contentsOfDirectory(
            atPath: place.state + "/crash/tally")
        {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: place.state + "/crash/tally/" + file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        // A tool says where to find more.
        let more = "`napkin-client crash show tally 2`"
        try await place.fails(
            ["send", "main", Self.tally, "add(_:)", "\(Int64.max)"], 70,
            saying: ["tally; nothing was lost (receipt 2): \(more)"])
        for command in ["apps", "status"] {
            let lines = try await place.run([command]).lines.joined(separator: " ")
            #expect(lines.contains("(receipt 2: \(more))"), "\(lines)")
        }
        try await isSetAsideAtOnce(front)
    }

    @Test
    func `three events of a session that trap have its others rest, and end no other session`()
        async throws
    {
        let front = try await started()
        let other = try await place.front(["--session", "other"])
        try await other.mounts(Self.tally)
        #expect(try await front.call(Self.tally, "add(_:)", "[9]").isOK)
        for (trap, receipts) in [(0, 2), (1, 4)] {
            let bad = try await front.call(Self.tally, "add(_:)", "[\(Int64.max - Int64(trap))]")
            let error = try #require(bad.object["error"] as? [String: Any])
            #expect(error["receipt"] as? Int == receipts, "\(error)")
        }
        for (event, argument) in [("the third trap", "\(Int64.max - 2)"), ("a good one", "2")] {
            let bad = try await front.call(Self.tally, "add(_:)", "[\(argument)]")
            let error = try #require(bad.object["error"] as? [String: Any], "\(event)")
            #expect(error["code"] as? String == "overloaded", "\(event): \(error)")
            let words = /ended its worker .*receipt 5\); try again in [1-6]?\d s$/
            #expect((error["message"] as? String)?.contains(words) == true, "\(event): \(error)")
        }
        #expect(try await other.call(Self.tally, "add(_:)", "[1]").isOK)
        #expect(try await receipts(place).count == 5)
        #expect(try await place.run(["crash", "release", "tally", "5"]).status == 0)
        let good = try await front.call(Self.tally, "add(_:)", "[2]")
        #expect(good.object["value"] as? Int == 12, "\(good.object)")
    }

    @Test func `a person is told which state is shown again, and where newer changes are`()
        async throws
    {
        let front = try await started()
        let client = try Product.path("napkin-client")
        let terminal = try await Tmux(
            place, columns: 132, lines: 24,
            "'\(client)' attach tally --session main --socket '\(place.socket)'")
        try await terminal.shows("connected")
        try await place.killWorker()
        let time = /restarted; you are back at \d\d:\d\d:\d\d: it was ended by signal 9/
        try await terminal.shows("the time") { $0.contains(time) }
        _ = try await front.reads { $0.type == "resumed" }
        // A sum that ends each restore.
        #expect(try await front.call(Self.tally, "add(_:)", "[1312]").isOK)
        try await place.killWorker()
        try await terminal.shows("newer changes were set aside (receipt 4)")
        try await terminal.press("F3")
        try await terminal.shows("`napkin-client ledger import`")
        _ = try await front.reads { $0.object["takenBack"] as? Int == 4 }
        try await front.mounts(Self.tally)
        #expect(try await front.call(Self.tally, "read()", "[]").object["value"] as? Int == 1)
        let kept = "\(place.state)/crash/tally/4.session"
        for (command, words) in [
            (["crash", "show", "tally", "4"], "kept     \(kept): "),
            (["crash", "show", "tally", "4"], "session  main, record "),
            (["crash", "show", "tally", "4"], " MiB, peak "),
            (["crash", "ls"], "set aside, taken back"),
            (["ledger", "ls"], "running, taken back (receipt 4)"),
            (["ls"], "main was taken back to an earlier record"),
        ] {
            let lines = try await place.run(command).lines
            #expect(lines.contains { $0.contains(words) }, "\(command): \(lines)")
        }
        #expect(try await place.run(["rename", "main", "dinner"]).status == 0)
        let lines = try await place.run(["ls"]).lines
        #expect(lines.contains { $0.hasPrefix("dinner was taken back") }, "\(lines)")
        let (status, _, errors) = try await place.run([
            "ledger", "import", kept, "--name", "rescued",
        ])
        #expect(status == 0, "\(errors)")
    }

    @Test(arguments: ["at once": 1414, "later": 1515])
    func `a task that ends each worker is not started a third time, and its session goes on`(
        task: String, sum: Int
    ) async throws {
        let front = try await started()
        #expect(try await front.call(Self.tally, "add(_:)", "[\(sum - 1)]").isOK)
        try await place.killWorker()
        _ = try await front.reads { $0.type == "resumed" && $0.object["receipt"] as? Int == 3 }
        try await front.mounts(Self.tally)
        #expect(try await front.call(Self.tally, "read()", "[]").object["value"] as? Int == sum)
        let receipts = try await receipts(place)
        #expect(receipts.map { $0["outcome"] as? String } == ["unnamed", "suspect", "setAside"])
        let words = "input    tally: task \"\(task)\" started at LedgerWorker/TallyFeature.swift:"
        for (command, words) in [
            (["crash", "show", "tally", "3"], words), (["logs", "tally"], "taskSetAside"),
            (["crash", "replay", "tally", "3"], "the same death: it was ended by signal 4"),
        ] {
            let lines = try await place.run(command).lines
            #expect(lines.contains { $0.contains(words) }, "\(command): \(lines)")
        }
        // Until somebody releases it.
        #expect(try await place.run(["crash", "release", "tally", "3"]).status == 0)
        try await place.killWorker()
        _ = try await front.reads { $0.type == "resumed" && $0.object["receipt"] as? Int == 6 }
    }

    /// An equal event is set aside at once, until it is released.
    private func isSetAsideAtOnce(_ front: ControlFront) async throws {
        let deaths = front.seen.count { $0.type == "resumed" }
        try await poison(front)
        #expect(front.seen.count { $0.type == "resumed" } == deaths)
        #expect(try await place.run(["crash", "release", "tally", "9"]).status == 66)
        #expect(try await place.run(["crash", "release", "tally", "2"]).status == 0)
        try await poison(front)
        #expect(front.seen.count { $0.type == "resumed" } == deaths + 2)
        let outcomes = try await receipts(place).map { $0["outcome"] as? String }
        #expect(outcomes == ["released", "released", "suspect", "setAside"])
    }
}
