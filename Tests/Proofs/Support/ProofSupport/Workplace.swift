// Workplace: a private directory with a napkind of its own, and everything that it leaves.

import Foundation
import Synchronization

/// One daemon for one test, on a short path. What it started ends with it.
package final class Workplace: Sendable {
    package let directory: String
    package var socket: String { directory + "/n.sock" }
    package var state: String { directory + "/s" }
    package let environment: [String: String]
    /// The app that fronts attach to.
    package let app: String
    /// The daemon's executable, by its path or by the name of a product, and what it is first told.
    private let program: String
    private let command: [String]
    /// Where somebody else made the directory, it is `nil`.
    private let owned: TemporaryDirectory?
    private let daemons = Mutex<[Child]>([])
    /// Where the apps are installed: not in the directory, which tests empty.
    private let installation = TemporaryDirectory()

    /// - Parameters:
    ///   - apps: the apps that are installed in it.
    ///   - inDirectory: of the environment, what depends on the directory.
    package init(
        daemon program: String = "napkind", command: [String] = [],
        apps: [InstalledApp] = InstalledApp.examples, app: String = "rib-house",
        tick: Double = 3600, at directory: String? = nil, environment: [String: String] = [:],
        inDirectory more: (String) -> [String: String] = { _ in [:] }
    ) {
        (self.program, self.command, self.app) = (program, command, app)
        owned = directory == nil ? TemporaryDirectory() : nil
        let directory = directory ?? owned?.path ?? ""
        self.directory = directory
        // Nobody's own files are touched, and nobody's own server asked: nothing listens at port 1.
        let own = [
            "NAPKIN_RIBHOUSE_TICK": "\(tick)", "XDG_CACHE_HOME": directory + "/cache",
            "XDG_CONFIG_HOME": directory + "/config", "XDG_DATA_HOME": directory + "/data",
            "XDG_DATA_DIRS": installation.path, "CHARACTERS_SERVER": "127.0.0.1:1",
        ]
        self.environment = own.merging(environment) { $1 }.merging(more(directory)) { $1 }
        // A worker has what its manifest says, and what is the user's.
        let told = self.environment.filter { !$0.key.hasPrefix("XDG_") && $0.key != "HOME" }
        for app in apps { app.install(in: installation.path + "/napkin/apps", environment: told) }
    }

    /// Ends every process that still works in this directory, and removes it.
    package func cleanUp() {
        // One that was just being started, or is just dying, may write once more. Chosen: a second.
        for _ in 0..<100 {
            let others = (Vitals.processes(mentioning: directory) + keepers)
                .filter { $0 != getpid() }
            for pid in others { kill(pid, SIGKILL) }
            // What somebody else has mounted there stays.
            try? FileManager.default.removeItem(atPath: directory)
            if others.isEmpty { return }
        }
    }

    /// The keepers of programs that still run: they outlive all others, and name no directory.
    private var keepers: [Int32] {
        Vitals.processes(mentioning: "napkin-keeper").filter { pid in
            // Source: main.c of the keeper, for the descriptor. One that has ended has none.
            let held = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(pid)/fd/4")
            return held?.hasPrefix(directory + "/") == true
        }
    }

    deinit { cleanUp() }

    // MARK: - Daemons

    /// Starts a daemon, which need not be ready when this returns.
    package func spawn(
        _ arguments: [String] = [], program other: String? = nil, keepsErrors: Bool = true
    ) throws -> Spawned {
        let program = other ?? program
        return try Spawned(
            program.contains("/") ? program : Product.path(program),
            command + ["--socket", socket, "--state-dir", state, "--ready-fd", "1"] + arguments,
            environment: environment, keepsErrors: keepsErrors)
    }

    /// Starts a daemon and returns when it has said that it is ready.
    @discardableResult
    package func daemon(
        _ arguments: [String] = [], program: String? = nil, keepsErrors: Bool = true
    ) async throws -> Child {
        let child = Child(try spawn(arguments, program: program, keepsErrors: keepsErrors))
        daemons.withLock { daemons in
            daemons.removeAll(where: \.hasEnded)
            daemons.append(child)
        }
        _ = try await child.line { $0 == "ready \(socket)" }
        return child
    }
}
