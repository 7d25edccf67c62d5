// Workplace client: what napkin-client does with a workplace's daemon.

import Foundation
import ProofSupport

extension Workplace {
    /// Runs napkin-client with these arguments and the workplace's socket.
    func client(_ arguments: [String], socket: String? = nil) throws -> Child {
        try Child(
            Product.path("napkin-client"), arguments + ["--socket", socket ?? self.socket],
            environment: environment)
    }

    /// Runs a command of napkin-client to its end. Throws when the test's time is over, which
    /// ends also what repeats a command until something has come about.
    func run(
        _ arguments: [String], socket: String? = nil
    ) async throws -> (status: Int32, lines: [String], errors: String) {
        let child = try client(arguments, socket: socket)
        child.closeInput()
        let (status, lines) = await child.result()
        let errors = await child.allErrors()
        try Task.checkCancellation()
        return (status, lines, errors)
    }

    /// Attaches a control front, to the workplace's app unless another is named.
    func front(_ arguments: [String] = [], app: String? = nil) async throws -> ControlFront {
        let front = ControlFront(
            try client(["attach", app ?? self.app, "--control"] + arguments))
        try await front.reads { $0.type == "welcome" }
        return front
    }

    /// The worker's process id, as the daemon tells it.
    func workerPID() async throws -> Int32 {
        let (status, lines, errors) = try await run(["apps", "--json"])
        let apps = try JSON.array(lines.joined())
        guard status == 0,
            let app = apps.first(where: { $0["app"] as? String == self.app }),
            let pid = app["pid"] as? Int
        else { throw Failure("no worker runs: \(lines) \(errors)") }
        return Int32(pid)
    }

    /// Kills the worker: that one, or the one of which the daemon tells, a client's start later.
    func killWorker(_ pid: Int32? = nil) async throws {
        let told = if let pid { pid } else { try await workerPID() }
        kill(told, SIGKILL)
    }

    /// Starts napkind, and a front that has logged in; the worker's process id.
    func loggedIn() async throws -> (daemon: Child, front: ControlFront, worker: Int32) {
        let daemon = try await daemon()
        let front = try await front()
        try await front.login()
        return (daemon, front, try await workerPID())
    }
}

/// Kills a napkind, and returns when it has ended.
func killed(_ daemon: Child) async throws {
    daemon.signal(SIGKILL)
    try Failure.unless(await daemon.exit() == -SIGKILL, "napkind ended before it was killed")
}
