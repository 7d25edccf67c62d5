// TallyPlace: a workplace with the durable tally, spread over processes as a test likes.

import Foundation
import ProofSupport
import Testing

/// A napkind with one durable app, whose sessions are added to from the command line.
struct TallyPlace {
    static let tally = "tally.tally"

    let place: Workplace
    let app: String
    /// The machine's name in the cluster of a database.
    let machine = "m\(UInt32.random(in: 0 ... .max))"

    /// - Parameters:
    ///   - shell: what comes before the daemon, in a namespace of its own.
    ///   - ledger: where its sessions are kept, unless it is a file.
    init(
        _ app: String = "tally", isolation: String = #""shared""#, in shell: String? = nil,
        ledger: String? = nil
    ) async throws {
        self.app = app
        let command = try shell.map {
            ["-rm", "/bin/sh", "-c", $0 + #" && exec "$0" "$@""#, try Product.path("napkind")]
        }
        let machine = machine
        let programs = try Product.path("napkin-client").split(separator: "/").dropLast()
        let path = "/\(programs.joined(separator: "/")):/usr/bin:/bin"
        place = Workplace(
            daemon: shell == nil ? "napkind" : "/usr/bin/unshare",
            command: command ?? ledger.map {
                ["--ledger", $0, "--machine", machine, "--address", "ssh://\(machine)"]
            } ?? [], apps: [], app: app,
            inDirectory: { ["XDG_DATA_DIRS": $0 + "/shared", "PATH": $0 + "/bin:\(path)"] })
        try install(isolation: isolation)
        if ledger != nil { try writeSSH() }
        try await place.daemon()
    }

    /// Writes the manifest by a rename, as an installation does.
    func install(isolation: String) throws {
        let apps = place.directory + "/data/napkin/apps"
        try FileManager.default.createDirectory(
            atPath: apps, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let program = try Product.path("LedgerWorker")
        let text =
            #"{"id": "\#(app)", "worker": {"program": "\#(program)"}, "isolation": \#(isolation)}"#
        let path = "\(apps)/\(app).json"
        try text.write(toFile: path + ".new", atomically: false, encoding: .utf8)
        chmod(path + ".new", 0o644)
        try Failure.unless(rename(path + ".new", path) == 0, "\(path): errno \(errno)")
    }

    /// Puts an ssh first that runs the command on this host: all machines of the tests are here.
    private func writeSSH() throws {
        let bin = place.directory + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        let script = "#!/bin/sh\nfor word; do :; done\nexec /bin/sh -c \"$word\"\n"
        // A child that inherited the open file would keep it from running.
        try Spawned.alone {
            try script.write(toFile: bin + "/ssh", atomically: true, encoding: .utf8)
        }
        chmod(bin + "/ssh", 0o755)
    }

    /// Kills napkind and its workers at once.
    func die() async throws {
        let all = Vitals.processes(mentioning: place.socket, "--ready-fd\0") + workers
        for pid in all { kill(pid, SIGKILL) }
        for pid in all { try await Vitals.end(of: pid) }
    }

    /// The journals' directory.
    var ledger: String { place.state + "/ledger" }

    /// Adds to a session, which is created if there is none; returns its sum.
    func add(_ amount: Int, to session: String) async throws -> Int {
        let (status, lines, errors) = try await place.run([
            "send", session, Self.tally, "add(_:)", "\(amount)", "--create", "--app", app,
        ])
        try Failure.unless(status == 0, "\(session): \(errors)")
        return Int(lines.joined()) ?? -1
    }

    /// Returns a session's sum; does not create it.
    func sum(_ session: String) async throws -> Int {
        let (status, lines, errors) = try await place.run([
            "send", session, Self.tally, "read()",
        ])
        try Failure.unless(status == 0, "\(session): \(errors)")
        return Int(lines.joined()) ?? -1
    }

    /// The sessions that `ls` lists, with their states.
    func listed() async throws -> [String: String] {
        let (status, lines, errors) = try await place.run(["ls", "--json"])
        try Failure.unless(status == 0, errors)
        let sessions = try JSON.array(lines.joined()).map {
            ($0["session"] as? String ?? "?", $0["state"] as? String ?? "?")
        }
        try Failure.unless(Set(sessions.map(\.0)).count == sessions.count, "twice: \(lines)")
        return Dictionary(sessions) { $1 }
    }

    /// The workers that live.
    var workers: [Int32] { Vitals.processes(mentioning: place.state, "--worker\0") }

    /// Ends napkind and its workers in good order, and starts another napkind.
    func restartInOrder() async throws {
        try await end()
        try await place.daemon()
    }

    func end() async throws {
        for pid in Vitals.processes(mentioning: place.socket, "--ready-fd\0") {
            kill(pid, SIGTERM)
            try await Vitals.end(of: pid)
        }
    }

    /// Kills everything at once, and starts another napkind.
    func restartAfterKill() async throws {
        try await die()
        try await place.daemon()
    }
}
