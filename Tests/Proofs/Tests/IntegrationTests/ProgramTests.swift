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
        let place = try await Workplace(apps: InstalledApp.starts(), app: "till").started()
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

    /// The signal is the worker's; without one its session is ended.
    @Test(
        arguments: [
            ("trap '' TERM HUP INT", SIGKILL), ("trap '' TERM HUP INT", SIGSEGV), (":", SIGTERM),
            (":", nil),
        ] as [(String, Int32?)])
    func `no program outlives its session or its worker, even one that ignores requests`(
        before: String, signal: Int32?
    ) async throws {
        try await withScript(before) { place, _ in
            if let signal {
                #expect(kill(try await place.workerPID(), signal) == 0)
            } else {
                let (status, _, errors) = try await place.run(["kill", "main"])
                #expect(status == 0, "\(errors)")
            }
        }
    }
}
