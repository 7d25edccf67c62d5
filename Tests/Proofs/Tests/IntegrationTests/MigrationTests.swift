// MigrationTests: durable states that another version of the app has written, over real processes.

import Foundation
import ProofSupport
import Testing

/// A diary whose version is what a file says.
struct Desk {
    static let appendix = "diary.appendix"
    static let margin = "diary.margin"

    let place = Workplace(apps: [.diary], app: "diary") { directory in
        ["DIARY_VERSION": directory + "/version"]
    }

    /// Has workers from now on be of this version.
    func choose(_ version: String) throws {
        let file = URL(filePath: place.directory + "/version")
        try Spawned.alone { try Data(version.utf8).write(to: file) }
    }

    /// Has the next worker be of this version, and ends the present one.
    func upgrade(to version: String) async throws {
        try choose(version)
        try await place.killWorker()
    }
}

@Suite(.timeLimit(.minutes(10)))
struct MigrationTests {
    static let diary = "diary.diary"

    private let desk = Desk()

    private func started() async throws -> ControlFront {
        try await desk.place.daemon()
        let front = try await desk.place.front(["--session", "main"])
        try await front.mounts(Self.diary)
        try await front.write(5)
        try await front.shows(text: "5 cents")
        return front
    }

    @Test func `a state is migrated, and goes on as the new one`() async throws {
        let front = try await started()
        try await desk.upgrade(to: "migrated")
        try await front.shows(text: "50 tenths")
        try await front.write(7)
        try await front.shows(text: "120 tenths")
        try await desk.place.killWorker()
        try await front.reads { $0.type == "resumed" }
        try await front.shows(text: "120 tenths")
    }

    @Test func `a state is put back if the one before it, which is to help, cannot be read`()
        async throws
    {
        try desk.choose("brittle")
        try await desk.place.daemon()
        let front = try await desk.place.front(["--session", "main"])
        try await front.mounts(Self.diary)
        for (amount, text) in [(1, "1 cents"), (2, "3 cents")] {
            try await front.write(amount)
            try await front.shows(text: text)
        }
        try await desk.place.killWorker()
        // A front that is there when the worker dies learns of that alone.
        while try await desk.place.run(["crash", "show", "diary", "3"]).status != 0 {}
        let refused = try await desk.place.run([
            "attach", "diary", "--session", "main", "--control",
        ])
        #expect(refused.2.contains("has ended the worker twice: receipt 3"), "\(refused)")
        let kept = try FileManager.default.contentsOfDirectory(
            atPath: desk.place.state + "/crash/diary")
        #expect(!kept.contains { $0.contains(".session") }, "\(kept)")
        #expect(try await desk.place.run(["crash", "release", "diary"]).status == 0)
        try desk.choose("sound")
        #expect(try await desk.place.run(["restart", "diary"]).status == 0)
        let other = try await desk.place.front(["--session", "main"])
        try await other.shows(text: "3 cents")
    }

    @Test func `a replay has the manifest's environment`() async throws {
        // Other versions survive it.
        try desk.choose("brittle")
        try await desk.place.daemon()
        let front = try await desk.place.front(["--session", "main"])
        try await front.mounts(Self.diary)
        let bad = try await front.call(Self.diary, "write(_:)", "[99]")
        #expect(bad.errorCode == "quarantined", "\(bad)")
        let (status, lines, errors) = try await desk.place.run(["crash", "replay", "diary", "2"])
        #expect(status == 0 && lines.first?.hasPrefix("the same death: ") == true, "\(errors)")
        try desk.choose("one")
        #expect(try await desk.place.run(["crash", "replay", "diary", "2"]).status == 1)
    }

    /// A state that would be read as another is kept until its version is back.
    private func isKept() async throws {
        try await desk.upgrade(to: "renamed")
        let refused = try await desk.place.run([
            "attach", "diary", "--session", "main", "--control",
        ])
        #expect(refused.0 != 0)
        #expect(refused.2.contains("is kept and cannot be restored"), "\(refused)")
        #expect(refused.2.contains("cents: field removed, or renamed to 'amount'"), "\(refused)")
        #expect(
            refused.2.contains("a Migration; `napkin-client kill main` deletes it"),
            "\(refused)")
        let ill = try await desk.place.run(["status"])
        #expect(ill.0 == 1)
        #expect(ill.lines.joined().contains("cents: field removed"), "\(ill)")
        let other = try await desk.place.front(["--session", "other"])
        try await other.shows(text: "0")
        try await desk.upgrade(to: "one")
        let again = try await desk.place.front(["--session", "main"])
        try await again.shows(text: "5 cents")
        let well = try await desk.place.run(["status"])
        #expect(!well.lines.joined().contains("session main"), "\(well)")
    }

    @Test
    func `U10: a child or a state that a version does not read is named, and kept for another`()
        async throws
    {
        let first = try await started()
        try await isKept()
        withExtendedLifetime(first) {}
        let front = try await desk.place.front(["--session", "main"])
        try await front.shows(text: "5 cents")
        try await desk.upgrade(to: "long")
        try await front.mounts(Desk.appendix)
        try await front.write(3, to: Desk.appendix)
        try await front.shows(text: "3 cents", in: Desk.appendix)
        try await desk.upgrade(to: "one")
        try await front.reads { $0.type == "resumed" }
        try await front.shows(text: "5 cents")
        #expect(!front.screen.features.contains(Desk.appendix))
        let log = try await desk.place.run(["logs", "diary"]).lines
        #expect(log.count { $0.contains("childNotAttached") } == 1, "\(log)")
        let shown = try await desk.place.run(["ledger", "show", "main"])
        let tree = shown.lines.joined(separator: "\n")
        #expect(
            tree.contains(#/appendix: diary.appendix \(\d+, kept and not attached/#),
            "\(shown)")
        try await desk.upgrade(to: "long")
        try await front.shows(text: "3 cents", in: Desk.appendix)
    }
}

extension ControlFront {
    /// Adds to a part of the diary.
    func write(_ amount: Int, to feature: String = MigrationTests.diary) async throws {
        let id = try send(feature, "write(_:)", args: "[\(amount)]")
        let reply = try await reads { $0.type == "reply" && $0.id == id }
        #expect(reply.isOK)
    }

    /// Reads until a part of the diary shows this.
    func shows(text: String, in feature: String = MigrationTests.diary) async throws {
        try await shows { $0.value(feature, "present(text:)") == "\"\(text)\"" }
    }
}
