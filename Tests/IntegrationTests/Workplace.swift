// Workplace: a private directory with a napkind of its own, and everything that it leaves.

import Foundation
import Testing

/// One daemon for one test, on a short path.
final class Workplace: Sendable {
    let directory: String
    var socket: String { directory + "/n.sock" }
    var state: String { directory + "/s" }
    let environment: [String: String]
    /// The daemon's executable, and the app of it that fronts attach to.
    private let program: String
    private let app: String

    /// - Parameter more: of the environment, what depends on the directory.
    init(
        daemon program: String = "napkind", app: String = "rib-house", tick: Double = 3600,
        environment: [String: String] = [:],
        inDirectory more: (String) -> [String: String] = { _ in [:] }
    ) throws {
        self.program = program
        self.app = app
        var template = Array("/tmp/nk.XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw Failure("no directory") }
        directory = String(cString: path)
        // Nobody's own cache is touched, and nobody's own server asked: nothing listens at port 1.
        let own = [
            "NAPKIN_RIBHOUSE_TICK": "\(tick)", "XDG_CACHE_HOME": directory + "/cache",
            "CHARACTERS_SERVER": "127.0.0.1:1",
        ]
        self.environment = own.merging(environment) { $1 }.merging(more(directory)) { $1 }
    }

    /// Ends every process that still works in this directory, and removes it.
    func cleanUp() {
        for pid in Self.processes(mentioning: directory) where pid != getpid() {
            kill(pid, SIGKILL)
        }
        // What a process that is just dying still holds does not matter.
        try? FileManager.default.removeItem(atPath: directory)
    }

    deinit { cleanUp() }

    static func processes(mentioning text: String) -> [Int32] {
        // A process that ends while we look is not there any more.
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(Int32.init).filter { pid in
            // As above.
            guard let line = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline"))
            else { return false }
            return String(decoding: line, as: UTF8.self).contains(text)
        }
    }

    // MARK: - Processes

    /// Starts napkind and returns when it has said that it is ready.
    func daemon(_ arguments: [String] = []) async throws -> Child {
        let child = try Child(
            Product.path(program),
            ["--socket", socket, "--state-dir", state, "--ready-fd", "1"] + arguments,
            environment: environment)
        _ = try await child.line { $0 == "ready \(socket)" }
        return child
    }

    /// Runs napkin-client with these arguments and the workplace's socket.
    func client(_ arguments: [String], socket: String? = nil) throws -> Child {
        try Child(
            Product.path("napkin-client"), arguments + ["--socket", socket ?? self.socket],
            environment: environment)
    }

    /// Runs a command of napkin-client to its end.
    func run(
        _ arguments: [String], socket: String? = nil
    ) async throws -> (status: Int32, lines: [String], errors: String) {
        let child = try client(arguments, socket: socket)
        child.closeInput()
        let status = await child.exit()
        return (status, await child.allLines(), await child.allErrors())
    }

    /// Attaches a control front.
    func front(_ arguments: [String] = []) async throws -> ControlFront {
        let front = ControlFront(try client(["attach", app, "--control"] + arguments))
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
}
