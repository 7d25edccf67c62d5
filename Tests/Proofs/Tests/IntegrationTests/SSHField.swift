// SSHField: two hosts on one machine: network namespaces, an sshd in one, and a slow line to it.

import Foundation
import ProofSupport
import Testing

/// A near host with a client, and a far one with napkind, the till, and an sshd.
///
/// `ssh://straight` leads to the far one, and `ssh://desk` does so by a line that can be stalled
/// and cut. The namespaces end with the processes in them.
final class SSHField {
    let place: Workplace
    let daemon: Child
    let line: Child
    private let near: Child
    private let far: Child
    private var server: Child

    /// Namespaces, and an sshd that lets somebody in, are for root, with the capabilities
    /// CAP_NET_ADMIN (12) and CAP_SYS_ADMIN (21).
    static let isPossible: Bool = {
        // Without the file there are no capabilities to be read.
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") } ?? ""
        let has = UInt64(line.dropFirst("CapEff:\t".count), radix: 16) ?? 0
        return geteuid() == 0 && has >> 12 & 1 == 1 && has >> 21 & 1 == 1
    }()

    private static let address = "10.77.0.2"

    /// - Parameters:
    ///   - delay: milliseconds each way, on the slow line.
    ///   - farPath: the `PATH` of commands there.
    init(delay: Int = 0, farPath: String? = nil) async throws {
        near = try Child("/bin/sh", Self.namespace)
        far = try Child("/bin/sh", Self.namespace)
        for host in [near, far] { _ = try await host.line { $0 == "up" } }
        let far = far.pid
        place = Workplace(
            daemon: "/usr/bin/nsenter",
            command: ["-t", "\(far)", "-n", try Product.path("napkind")],
            apps: InstalledApp.starts(), app: "till")
        try await Self.run(
            "ip",
            ["link", "add", "near", "netns", "\(near.pid)", "type", "veth", "peer", "name"]
                + ["far", "netns", "\(far)"])
        for (host, name, address) in [(near.pid, "near", "10.77.0.1"), (far, "far", Self.address)] {
            try await Self.run("ip", ["addr", "add", address + "/24", "dev", name], in: host)
            try await Self.run("ip", ["link", "set", name, "up"], in: host)
        }
        let directory = place.directory
        try FileManager.default.createDirectory(
            atPath: directory + "/bin", withIntermediateDirectories: true)
        for key in ["host_key", "user_key"] {
            try await Self.run(
                "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(directory)/\(key)"])
        }
        try Self.writeServerConfiguration(directory, farPath)
        server = try await Self.server(directory, far)
        daemon = try await place.daemon()
        line = try Child(
            "/usr/bin/nsenter",
            ["-t", "\(near.pid)", "-n", "python3", Repository.root + "/scripts/slow-line.py"]
                + [Self.address, "22", "\(delay)"])
        let ready = try await line.line { $0.hasPrefix("ready ") }.1
        try writeUserConfiguration(port: String(ready.dropFirst("ready ".count)))
    }

    private static let namespace = [
        "-c", "exec unshare -n sh -c 'ip link set lo up && echo up && exec cat'",
    ]

    /// Runs a program to its end, in a namespace if `host` is one.
    @discardableResult
    private static func run(
        _ program: String, _ arguments: [String], in host: Int32? = nil
    ) async throws -> [String] {
        let words = (host.map { ["nsenter", "-t", "\($0)", "-n"] } ?? []) + [program] + arguments
        let child = try Child("/usr/bin/env", words)
        let (status, lines) = await child.result()
        let errors = await child.allErrors()
        try Failure.unless(status == 0, "\(words): \(errors)")
        return lines
    }

    private static func writeServerConfiguration(_ directory: String, _ path: String?) throws {
        let products = URL(filePath: try Product.path("napkin-client")).deletingLastPathComponent()
        // What sshd wants to have, and a system that has never started one does not.
        try FileManager.default.createDirectory(
            atPath: "/run/sshd", withIntermediateDirectories: true)
        try """
        ListenAddress \(address)
        HostKey \(directory)/host_key
        AuthorizedKeysFile \(directory)/user_key.pub
        PermitRootLogin prohibit-password
        PidFile none
        UsePAM no
        StrictModes no
        MaxStartups 1000
        SetEnv HOME=\(directory) XDG_RUNTIME_DIR=\(directory)/bin XDG_STATE_HOME=\(directory)/far \
        PATH=\(path ?? products.path + ":/usr/bin:/bin")
        """.write(toFile: directory + "/sshd_config", atomically: true, encoding: .utf8)
    }

    private static func server(_ directory: String, _ far: Int32) async throws -> Child {
        let server = try Child(
            "/usr/bin/nsenter",
            ["-t", "\(far)", "-n", "/usr/sbin/sshd", "-D", "-e", "-f", directory + "/sshd_config"])
        try await server.errors { $0.contains("Server listening on \(address)") }
        return server
    }

    /// The configuration of the user who runs ssh, whose home cannot be chosen.
    private func writeUserConfiguration(port: String) throws {
        let directory = place.directory
        let key = try String(contentsOfFile: directory + "/host_key.pub", encoding: .utf8)
        try ("* " + key).write(
            toFile: directory + "/known_hosts", atomically: true, encoding: .utf8)
        try """
        Host desk
            HostName 127.0.0.1
            Port \(port)
        Host straight shared
            HostName \(Self.address)
        Host shared
            ControlMaster auto
            ControlPath \(directory)/master
            ControlPersist yes
        Host *
            User root
            IdentityFile \(directory)/user_key
            IdentitiesOnly yes
            UserKnownHostsFile \(directory)/known_hosts
            StrictHostKeyChecking yes
        """.write(toFile: directory + "/ssh_config", atomically: true, encoding: .utf8)
        let ssh = directory + "/bin/ssh"
        let script = """
            #!/bin/sh
            echo "$@" >>\(directory)/calls
            exec /usr/bin/ssh -F \(directory)/ssh_config "$@"

            """
        // A child that inherited the open file would keep it from running.
        try Spawned.alone { try script.write(toFile: ssh, atomically: true, encoding: .utf8) }
        chmod(ssh, 0o755)
    }

    // MARK: - The near host

    /// How often ssh has been started.
    var calls: Int {
        // Never started, it has left no file.
        let text = (try? String(contentsOfFile: place.directory + "/calls", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count
    }

    func client(_ arguments: [String]) throws -> Child {
        try Child(
            "/usr/bin/nsenter",
            ["-t", "\(near.pid)", "-n", try Product.path("napkin-client")] + arguments,
            environment: place.environment.merging(
                ["PATH": place.directory + "/bin:/usr/bin:/bin"]
            ) { $1 })
    }

    /// The same for a shell, over the slow line.
    func commandLine(_ arguments: String) throws -> String {
        "nsenter -t \(near.pid) -n env PATH=\(place.directory)/bin:/usr/bin:/bin "
            + "\(try Product.path("napkin-client")) \(arguments) --host ssh://desk "
            + "--socket \(place.socket)"
    }

    /// Runs a command to its end, on the far daemon.
    func run(
        _ arguments: [String], host: String = "ssh://straight"
    ) async throws -> (status: Int32, lines: [String], errors: String) {
        let child = try client(arguments + ["--host", host, "--socket", place.socket])
        child.closeInput()
        return (await child.exit(), await child.allLines(), await child.allErrors())
    }

    /// Attaches a control front, by way of the slow line.
    func front() async throws -> ControlFront {
        let front = ControlFront(
            try client([
                "--host", "ssh://desk", "attach", "till", "--control", "--socket", place.socket,
            ]))
        try await front.reads { $0.type == "welcome" }
        return front
    }

    /// Ends the sshd; connections that stand go on.
    func shut() async throws {
        server.signal(SIGTERM)
        try Failure.unless(await server.exit() == 0, "sshd ended otherwise")
    }

    func reopen() async throws {
        server = try await Self.server(place.directory, far.pid)
    }

    /// Has the line do something, and returns when it is done.
    func line(_ command: String, _ arguments: String = "") async throws {
        let start = line.lines.count
        try line.write(command + " " + arguments)
        _ = try await line.line(from: start) { $0 == "done " + command }
    }

    /// What listens on a network at the far host.
    func listeners() async throws -> [String] {
        var places: [String] = []
        for table in ["tcp", "tcp6", "udp", "udp6"] {
            let path = "/proc/\(far.pid)/net/\(table)"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            for row in text.split(separator: "\n").dropFirst() {
                let fields = row.split(separator: " ")
                // 0A: a TCP socket that listens.
                if table.hasPrefix("udp") || fields[3] == "0A" { places.append(String(fields[1])) }
            }
        }
        return places
    }
}
