// PostgresServer: a PostgreSQL of its own for tests, in a temporary directory, on a Unix socket.
//
// Source     initdb(1), postgres(1)

import Foundation
import Synchronization

/// A server that ends with the process, which it does not outlive.
package final class PostgresServer: Sendable {
    private let directory = TemporaryDirectory()
    private let settings: [String]
    private let running = Mutex<Spawned?>(nil)

    /// One for all tests that leave it running.
    package static let shared = Result { try PostgresServer() }

    /// - Parameter settings: of postgresql.conf, as `name=value`.
    package init(_ settings: [String] = []) throws {
        self.settings = settings
        if let user = Self.user { chown(directory.path, user.uid, user.gid) }
        let arguments = [
            try Self.program("initdb"), "--pgdata", data, "--username", "napkin", "--auth", "trust",
            "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions",
        ]
        let initialized = try spawn("exec \"$@\" >initdb.log 2>&1", arguments)
        guard Spawned.wait(for: initialized.pid) == 0 else {
            let log = FileManager.default.contents(atPath: directory("initdb.log")) ?? Data()
            throw Failure("no database: \(String(decoding: log, as: UTF8.self))")
        }
        try start()
    }

    deinit { stop() }

    private var data: String { directory("data") }

    /// The connection string of a database.
    package func database(_ name: String = "postgres") -> String {
        "host=\(directory.path) user=napkin dbname=\(name)"
    }

    /// Starts it, and returns when it accepts connections.
    package func start() throws {
        var options = ["-k", directory.path, "-c", "listen_addresses="]
        // Nothing is to survive a power cut here, unless a test measures that.
        for setting in ["shared_buffers=16MB"] + settings { options += ["-c", setting] }
        // The shell ends the server when our end of its input closes, however we end.
        let server = try spawn(
            "\"$@\" & read -r line; kill -QUIT $!; wait $!",
            [try Self.program("postgres"), "-D", data] + options)
        running.withLock { $0 = server }
        guard let errors = server.errors else { preconditionFailure("it was asked for") }
        var said = ""
        while !said.contains("ready to accept connections") {
            let bytes = Spawned.read(errors)
            guard !bytes.isEmpty else { throw Failure("the database does not start: \(said)") }
            said += String(decoding: bytes, as: UTF8.self)
        }
        Thread.detachNewThread { while !Spawned.read(errors).isEmpty {} }
    }

    /// Ends it at once, without a shutdown: the next start recovers.
    package func stop() {
        let server = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let server else { return }
        close(server.input)
        _ = Spawned.wait(for: server.pid)
    }

    private func spawn(_ script: String, _ arguments: [String]) throws -> Spawned {
        let shell = ["/bin/sh", "-c", "cd \"$0\" && " + script, directory.path] + arguments
        guard let user = Self.user else {
            return try Spawned(shell[0], Array(shell.dropFirst()))
        }
        return try Spawned(
            "/usr/bin/setpriv",
            ["--reuid", "\(user.uid)", "--regid", "\(user.gid)", "--clear-groups"] + shell)
    }

    /// The user that it runs as if we are root, as whom it does not.
    private static var user: (uid: uid_t, gid: gid_t)? {
        guard getuid() == 0, let entry = getpwnam("postgres") else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    /// The newest version's.
    private static func program(_ name: String) throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = try FileManager.default.contentsOfDirectory(atPath: root)
        let newest = versions.compactMap { Int($0) }.max() ?? 0
        return "\(root)/\(newest)/bin/\(name)"
    }
}
