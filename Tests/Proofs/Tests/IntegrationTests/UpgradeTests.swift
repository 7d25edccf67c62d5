// UpgradeTests: programs that are replaced, and tried before they are used.

import Foundation
import ProofSupport
import Testing

/// An app whose program is a file of its own, as an installation replaces it.
private struct Shop {
    let depot: Depot
    let app: String
    var place: Workplace { depot.place }
    var program: String { place.directory + "/\(app)-worker" }

    init(_ more: String = "") async throws {
        app = "till"
        depot = try await Depot()
        try replace(by: Product.path("StartWorker"))
        try await depot.install(more: more, program: program)
    }

    /// A durable app of Tests/Proofs/Fixtures/LedgerWorker.
    init(durable app: String, version: String = "one") async throws {
        self.app = app
        depot = try await Depot()
        try replace(by: Product.path("LedgerWorker"))
        try install(version: version)
    }

    /// Writes the manifest of an app that is in several versions.
    func install(version: String) throws {
        let file = place.directory + "/" + version
        try Spawned.alone { try Data(version.utf8).write(to: URL(filePath: file)) }
        try depot.install(
            #"{"id": "\#(app)", "worker": {"program": "\#(program)", "#
                + #""environment": {"DIARY_VERSION": "\#(file)"}}}"#, as: app)
    }

    func replace(by product: String) throws {
        let data = try Data(contentsOf: URL(filePath: product))
        try Spawned.alone {
            try data.write(to: URL(filePath: program + ".new"))
            chmod(program + ".new", 0o755)
        }
        try Failure.unless(rename(program + ".new", program) == 0, "errno \(errno)")
    }

    func isOutdated() async throws -> Bool {
        try await depot.app(app)?["isOutdated"] as? Bool ?? false
    }

    func upgrade(_ more: String...) async throws -> (Int32, [String], String) {
        try await place.run(["upgrade", app] + more)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct UpgradeTests {
    @Test(arguments: [#"{"workers": 2}"#, #""session""#])
    func `a program that was replaced is noticed, and started where sessions may end`(
        isolation: String
    ) async throws {
        let shop = try await Shop(#", "isolation": \#(isolation)"#)
        let front = try await shop.place.front(["--session", "a"])
        #expect(try await front.call(Depot.till, "ring()").isOK)
        #expect(try await !shop.isOutdated())
        let current = try await shop.upgrade()
        #expect(current.0 == 0 && current.1.joined().contains("already"), "\(current)")
        let former = try await shop.depot.held()
        try shop.replace(by: Product.path("StartWorker"))
        #expect(try await shop.isOutdated())
        #expect(try await shop.place.run(["apps"]).lines.joined().contains("newer on disk"))
        let (status, _, told) = try await shop.place.run(["schema", "till"])
        #expect(status == 0 && told.contains("contract of the worker that runs"), "\(told)")
        // A napkind that has not started it sees it as well.
        try await killed(shop.depot.daemon)
        try await shop.place.daemon()
        #expect(try await shop.isOutdated())
        let unforced = try await shop.upgrade()
        #expect(unforced.0 == 1 && unforced.2.contains("the new program comes up"), "\(unforced)")
        #expect(try await shop.depot.held() == former && !front.wasDisconnected)
        let done = try await shop.upgrade("--force")
        #expect(done.0 == 0 && done.1.joined().contains("upgraded"), "\(done)")
        #expect(try await !shop.isOutdated())
        try await front.reads { $0.type == "resumed" }
        #expect(try await front.call(Depot.till, "ring()").object["value"] as? Int == 1)
        #expect(try await shop.depot.held()["a"] != former["a"])
        // What was tried has left nothing.
        let sockets = try FileManager.default.contentsOfDirectory(atPath: shop.place.directory)
        #expect(!sockets.contains("till~1000.sock"))
    }

    @Test
    func `a program that does not come up, or breaks fronts, leaves the old one, and says why`()
        async throws
    {
        let shop = try await Shop()
        let front = try await shop.place.front(["--session", "a"])
        try await front.mounts(Depot.till)
        let worker = try await shop.place.workerPID()
        let wrong: [(program: String, words: [String])] = [
            ("/bin/false", ["exited with code 1"]), ("/bin/cat", ["exited with code 1"]),
            (try Product.path("napkind"), ["exited with code 64"]),
        ]
        for (round, (program, words)) in wrong.enumerated() {
            try shop.replace(by: program)
            let failed = try await shop.upgrade("--force")
            #expect(failed.0 == 69, "\(failed)")
            for word in words + ["does not come up", "keeps running"] {
                #expect(failed.2.contains(word), "\(failed)")
            }
            let reply = try await front.call(Depot.till, "ring()")
            #expect(reply.object["value"] as? Int == round + 1)
        }
        try FileManager.default.removeItem(atPath: shop.program)
        #expect(try await shop.upgrade("--force").0 == 69)
        // One that never registers is given up.
        try shop.depot.install(
            #"{"id": "till", "worker": {"program": "/bin/sh", "arguments": ["-c", "#
                + #""exec sleep 60"]}}"#)
        try await shop.depot.says("app changed")
        let failed = try await shop.upgrade("--force")
        #expect(failed.0 == 69 && failed.2.contains("did not register within 8 s"), "\(failed)")
        #expect(try await shop.place.workerPID() == worker && !front.wasDisconnected)
        #expect(shop.depot.running == [worker])
        try shop.replace(by: Product.path("StartWorker"))
        try await breaksFronts(shop, front, worker)
    }

    /// A contract that breaks attached fronts leaves the old program.
    private func breaksFronts(_ shop: Shop, _ front: ControlFront, _ worker: Int32) async throws {
        try shop.depot.install(
            #"{"id": "till", "worker": {"program": "\#(shop.program)", "#
                + #""arguments": ["--lesser"]}}"#)
        try await shop.depot.says("app changed", times: 2)
        #expect(try await shop.isOutdated())
        let refused = try await shop.upgrade("--force")
        #expect(refused.0 == 76 && refused.2.contains("contract"), "\(refused)")
        #expect(refused.2.contains("starts.till"), "\(refused)")
        #expect(try await shop.place.workerPID() == worker && !front.wasDisconnected)
        // Where nobody is attached, it breaks nobody.
        front.child.closeInput()
        for name in ["a", "main"] { _ = try await shop.place.run(["kill", name]) }
        #expect(try await shop.upgrade().0 == 0)
        #expect(try await shop.depot.ring("a").1 == ["-1"])
    }

    @Test func `durable sessions go on with a new program, without --force`() async throws {
        let shop = try await Shop(durable: "tally")
        try await shop.depot.says("app found")
        let tally = TallyPlace.tally
        let front = try await shop.place.front(["--session", "a"], app: "tally")
        try await front.mounts(tally)
        for sum in [20, 40] {
            let reply = try await front.call(tally, "add(_:)", "[20]")
            #expect(reply.object["value"] as? Int == sum)
        }
        try shop.replace(by: Product.path("LedgerWorker"))
        #expect(try await shop.isOutdated())
        let done = try await shop.upgrade()
        #expect(done.0 == 0, "\(done)")
        #expect(done.1.joined().contains("upgraded") && !done.1.joined().contains("ended"))
        let resumed = try await front.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 0)
        try await front.shows { $0.value(tally, "present(sum:times:)")?.contains("40") == true }
        #expect(try await !shop.isOutdated())
    }

    @Test(arguments: [true, false])
    func `a program that does not read what is stored leaves the old one`(
        isHeld: Bool
    ) async throws {
        let shop = try await Shop(durable: "diary", version: "full")
        try await shop.depot.says("app found")
        let diary = MigrationTests.diary
        let write = ["send", "a", diary, "write(_:)", "5", "--create", "--app", "diary"]
        #expect(try await shop.place.run(write).0 == 0)
        if !isHeld {
            // The worker runs, and holds no session.
            #expect(try await shop.place.run(["restart", "diary"]).0 == 0)
        }
        try shop.install(version: "lesser")
        try await shop.depot.says("app changed")
        let refused = try await shop.upgrade("--force")
        #expect(refused.0 == 76, "\(refused)")
        let words = [
            "cannot restore what sessions have stored", "DiaryPage.note: field removed",
            "the old one keeps running", "add a Migration", "`napkin-client restart diary`",
        ]
        for word in words { #expect(refused.2.contains(word), "\(refused)") }
        #expect(!refused.2.contains("fronts"), "\(refused)")
        let front = try await shop.place.front(["--session", "a"], app: "diary")
        try await front.shows { $0.value(diary, "present(text:)") == #""5 cents, 5""# }
        #expect(!front.wasDisconnected)
    }
}
