// ProgramTests: what runs beside an app ends with its session, and with its worker.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ProgramTests {
    private static let till = "starts.till"

    /// Runs a script in a session. A child and a grandchild of it hold a pipe, as it does itself;
    /// when none of them is left, reading the pipe ends.
    private func withScript(
        _ before: String, _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let place = Workplace(apps: InstalledApp.starts(), app: "till")
        defer { place.cleanUp() }
        try await place.daemon()
        let pipe = place.directory + "/alive"
        try Failure.unless(mkfifo(pipe, 0o600) == 0, "no pipe")
        let reader = try Child("/bin/cat", [pipe])
        let front = try await place.front(["--session", "main"])
        try await front.mounts(Self.till)
        let script =
            "exec 3>'\(pipe)'; \(before); sh -c 'sleep 600 & echo grandchild; wait' & "
            + "echo child; wait"
        try front.send(Self.till, "run(script:)", args: try JSON.text([script]))
        try await front.shows {
            let lines = $0.value(Self.till, "present(lines:)") ?? ""
            return lines.contains(#""child""#) && lines.contains(#""grandchild""#)
        }
        try await body(place, front)
        #expect(await reader.exit() == 0)
    }

    @Test(arguments: [SIGKILL, SIGSEGV])
    func `a worker that dies leaves none of its programs, even those that ignore requests`(
        signal: Int32
    ) async throws {
        try await withScript("trap '' TERM HUP INT") { place, _ in
            let worker = try await place.workerPID()
            #expect(kill(worker, signal) == 0)
        }
    }

    @Test func `a session that is ended takes its programs along`() async throws {
        try await withScript(":") { place, _ in
            let (status, _, errors) = try await place.run(["kill", "main"])
            #expect(status == 0, "\(errors)")
        }
    }

    @Test func `a worker that drains ends its programs first`() async throws {
        try await withScript(":") { place, _ in
            let worker = try await place.workerPID()
            #expect(kill(worker, SIGTERM) == 0)
        }
    }
}
