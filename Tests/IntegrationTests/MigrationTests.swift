// MigrationTests: durable states that another version of the app has written, over real processes.

import Foundation
import ProcessSupport
import Testing

/// A diary whose version is what a file says.
private struct Desk {
    let place = Workplace(apps: [.diary], app: "diary") { directory in
        ["DIARY_VERSION": directory + "/version"]
    }

    /// Has the next worker be of this version, and ends the present one.
    func upgrade(to version: String) async throws {
        let file = URL(filePath: place.directory + "/version")
        try Spawned.alone { try Data(version.utf8).write(to: file) }
        kill(try await place.workerPID(), SIGKILL)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct MigrationTests {
    static let diary = "diary.diary"

    private func withDiary(
        _ body: (Desk, ControlFront) async throws -> Void
    ) async throws {
        let desk = Desk()
        defer { desk.place.cleanUp() }
        try await desk.place.daemon()
        let front = try await desk.place.front(["--session", "main"])
        try await front.mounts(Self.diary)
        try await write(5, front)
        try await front.shows(text: "5 cents")
        try await body(desk, front)
    }

    private func write(_ amount: Int, _ front: ControlFront) async throws {
        let id = try front.send(Self.diary, "write(_:)", args: "[\(amount)]")
        let reply = try await front.reads { $0.type == "reply" && $0.id == id }
        #expect(reply.isOK)
    }

    @Test func `what is new in a state begins as in a new session`() async throws {
        try await withDiary { desk, front in
            try await desk.upgrade(to: "added")
            try await front.shows(text: "5 cents, no note")
            try await write(7, front)
            try await front.shows(text: "12 cents, 7")
            // It is stored as the new version's.
            kill(try await desk.place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.shows(text: "12 cents, 7")
        }
    }

    @Test func `a state is migrated, and goes on as the new one`() async throws {
        try await withDiary { desk, front in
            try await desk.upgrade(to: "migrated")
            try await front.shows(text: "50 tenths")
            try await write(7, front)
            try await front.shows(text: "120 tenths")
            kill(try await desk.place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.shows(text: "120 tenths")
        }
    }

    @Test func `a state that would be read as another is kept until its version is back`()
        async throws
    {
        try await withDiary { desk, front in
            try await desk.upgrade(to: "renamed")
            let refused = try await desk.place.run([
                "attach", "diary", "--session", "main", "--control",
            ])
            #expect(refused.0 != 0)
            #expect(
                refused.2.contains("is kept and cannot be restored"), "\(refused)")
            #expect(
                refused.2.contains("cents: field removed, or renamed to 'amount'"), "\(refused)")
            let other = try await desk.place.front(["--session", "other"])
            try await other.shows(text: "0")
            try await desk.upgrade(to: "one")
            let again = try await desk.place.front(["--session", "main"])
            try await again.shows(text: "5 cents")
        }
    }
}

extension ControlFront {
    /// Reads until the diary shows this.
    fileprivate func shows(text: String) async throws {
        try await shows {
            $0.value(MigrationTests.diary, "present(text:)") == "\"\(text)\""
        }
    }
}
