// ReplayTests: what has ended a worker ends it again, where nobody else is.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReplayTests {
    private func with(
        _ apps: [InstalledApp], _ app: String, _ feature: String,
        _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let place = try await Workplace(apps: apps, app: app).started()
        let front = try await place.front(["--session", "main"])
        try await front.mounts(feature)
        try await body(place, front)
    }

    private func replays(
        _ place: Workplace, _ words: [String], _ outcome: String, status: Int32 = 0
    ) async throws {
        let result = try await place.run(["crash", "replay"] + words)
        #expect(result.status == status, "\(result.lines) \(result.errors)")
        #expect(result.lines.first?.hasPrefix(outcome) == true, "\(result.lines) \(result.errors)")
    }

    @Test func `a durable session dies again as it was before its input, here and from a file`()
        async throws
    {
        try await with(InstalledApp.tallies, "tally", LedgerTests.tally) { place, front in
            #expect(try await front.call(LedgerTests.tally, "add(_:)", "[1]").isOK)
            try await front.call(LedgerTests.tally, "add(_:)", "[\(Int64.max)]")
            // Both deaths began with a sum of 1, and this one is later.
            #expect(try await front.call(LedgerTests.tally, "add(_:)", "[-1]").isOK)
            for number in ["1", "2"] {
                try await replays(place, ["tally", number], "the same death: ")
            }
            let file = place.directory + "/tally.receipt"
            #expect(try await place.run(["crash", "export", "tally", "2", file]).status == 0)
            #expect(try await place.run(["crash", "export", "tally", "2", file]).status == 73)
            try await replays(place, [file], "the same death: ")
            #expect(try await place.run(["crash", "replay", "/dev/null"]).status == 65)
            #expect(try await place.run(["crash", "replay", "tally.missing"]).status == 66)
        }
    }

    @Test
    func `another session dies again by all its inputs since its launch, but for secret ones`()
        async throws
    {
        try await with(InstalledApp.starts(), "till", Depot.till) { place, front in
            try await front.call(Depot.till, "ring()")
            try await front.call(Depot.till, "trap(_:)", #"["the drawer burns"]"#)
            try await replays(
                place, ["till", "1"], "the same death: it was ended by signal 4, and said: ")
            try await keepsNoSecrets(place, front)
            try await doesNotDieMended(place, front)
            try await stopsInADebugger(place, front)
        }
    }

    /// Secret arguments are not kept, and what needs them cannot be replayed.
    private func keepsNoSecrets(_ place: Workplace, _ front: ControlFront) async throws {
        try await front.call(Depot.till, "unlock(code:)", #"["0815-0815"]"#)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: place.state + "/crash/till")
        #expect(files.contains("2.receipt"))
        for file in files {
            let bytes = try Data(
                contentsOf: URL(fileURLWithPath: place.state + "/crash/till/" + file))
            #expect(bytes.range(of: Data("0815".utf8)) == nil, "\(file)")
        }
        let (status, _, errors) = try await place.run(["crash", "replay", "till", "2"])
        #expect(status == 65)
        #expect(errors.contains("its method is @Secret"), "\(errors)")
    }

    /// A program that is mended does not die.
    private func doesNotDieMended(_ place: Workplace, _ front: ControlFront) async throws {
        try await front.call(Depot.till, "trap(_:)", #"["no"]"#)
        let mended = place.directory + "/mended"
        let program = try Product.path("StartWorker")
        Spawned.alone {
            let text = "#!/bin/sh\nexec \(program) --lesser \"$@\"\n"
            _ = FileManager.default.createFile(
                atPath: mended, contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o700])
        }
        try await replays(
            place, ["till", "3", "--program", mended], "no death: unimplemented", status: 1)
    }

    /// A debugger stops where the worker died, and leaves nothing.
    private func stopsInADebugger(_ place: Workplace, _ front: ControlFront) async throws {
        // Three different events have ended the session's worker: it would rest.
        #expect(try await place.run(["crash", "release", "till"]).status == 0)
        try await front.call(Depot.till, "trap(_:)", #"["no"]"#)
        // It ends with its input, and the process that has sent the events with it.
        let found = try await place.run(["crash", "replay", "till", "4", "--under", "gdb"])
        let text = found.lines.joined(separator: "\n")
        #expect(text.contains("received signal SIGILL"), "\(text) \(found.errors)")
        let stage = try #require(text.firstMatch(of: /napkin-replay-\w+/)).output
        #expect(!FileManager.default.fileExists(atPath: "/tmp/\(stage)"))
    }
}
