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

    /// The workplace's app, or another, as `apps --json` lists it.
    func listed(_ id: String? = nil) async throws -> [String: Any]? {
        let (status, lines, errors) = try await run(["apps", "--json"])
        try Failure.unless(status == 0, errors)
        return try JSON.array(lines.joined()).first { $0["app"] as? String == id ?? app }
    }

    /// The worker's process id, as the daemon tells it.
    func workerPID() async throws -> Int32 {
        let app = try await listed()
        guard let pid = app?["pid"] as? Int else { throw Failure("no worker runs: \(app ?? [:])") }
        return Int32(pid)
    }

    /// Starts napkind, and returns when it is ready.
    func started() async throws -> Workplace {
        try await daemon()
        return self
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

/// Runs a program to its end: one of ours by its name, or any by its path.
func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
) async throws -> (status: Int32, lines: [String], errors: String) {
    let path = program.contains("/") ? program : try Product.path(program)
    let child = try Child(path, arguments, environment: environment)
    child.closeInput()
    let (status, lines) = await child.result()
    return (status, lines, await child.allErrors())
}

/// Kills a napkind, and returns when it has ended.
func killed(_ daemon: Child) async throws {
    daemon.signal(SIGKILL)
    try Failure.unless(await daemon.exit() == -SIGKILL, "napkind ended before it was killed")
}
