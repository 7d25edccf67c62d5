// PermissionTests: directories and sockets of other users, and the sentence that helps.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PermissionTests {
    private let place = Workplace()

    /// Somebody else: `nobody` on most systems.
    private static let stranger: UInt32 = 65_534
    private static let isRoot = getuid() == 0
    private static let needsRoot: Comment = "only root can act as another user"

    /// A directory of the workplace with this owner and mode.
    private func directory(
        _ name: String, of place: Workplace, owner: UInt32? = nil, mode: mode_t
    ) throws -> String {
        let path = place.directory + "/" + name
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        chmod(path, mode)
        guard let owner else { return path }
        guard chown(path, owner, owner) == 0 else { throw Failure("chown: errno \(errno)") }
        return path
    }

    /// Starts a program as another user; a copy of it, as ours may be out of their reach.
    private func asStranger(
        _ program: String, _ arguments: [String], of place: Workplace
    ) throws -> Child {
        chmod(place.directory, 0o755)
        let copy = place.directory + "/" + program
        try Product.copy(program, to: copy)
        chmod(copy, 0o755)
        let identity = ["--reuid=\(Self.stranger)", "--regid=\(Self.stranger)", "--clear-groups"]
        // As `sudo` has it: a home that is not this user's.
        return try Child(
            "/usr/bin/setpriv",
            identity + ["/usr/bin/env", "HOME=\(place.directory)", copy] + arguments)
    }

    @Test func `a directory that is not ours alone is refused with the way out, also to a client`()
        async throws
    {
        let modes: [mode_t] = [0o777, 0o1777, 0o770]
        var wrong = try modes.map { mode in
            (try directory("mode\(mode)", of: place, mode: mode), "", "chmod 700")
        }
        wrong.append((try directory("open", of: place, mode: 0o777), "/a/b", "open to all"))
        if Self.isRoot {
            let theirs = try directory("theirs", of: place, owner: Self.stranger, mode: 0o700)
            wrong.append((theirs, "", "belongs to user \(Self.stranger)"))
        }
        for (directory, below, words) in wrong {
            let path = directory + below
            try await place.refuses(
                ["--socket", path + "/n.sock", "--state-dir", place.state], 77,
                saying: [path, words, "--socket PATH"])
            try await place.refuses(
                ["--socket", place.socket, "--state-dir", path], 77,
                saying: [path, words, "--state-dir DIR"])
        }
        let readable = try directory("readable", of: place, mode: 0o755)
        try await place.refuses(
            ["--socket", place.socket, "--state-dir", readable], 77,
            saying: [readable, "chmod 700", "--state-dir DIR"])
        for hasLog in [false, true] { try await clientReports(hasLog) }
    }

    @Test(.enabled(if: isRoot, needsRoot))
    func `another user's daemon and worker are not trusted, and a user without a home is told so`()
        async throws
    {
        let theirs = try directory("theirs", of: place, owner: Self.stranger, mode: 0o700)
        let socket = theirs + "/n.sock"
        let daemon = try asStranger(
            "napkind", ["--socket", socket, "--state-dir", theirs + "/s", "--ready-fd", "1"],
            of: place)
        _ = try await daemon.line { $0 == "ready \(socket)" }
        try await place.fails(
            ["ls"], socket: socket, 77,
            saying: ["belongs to user \(Self.stranger)", "another --socket"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        try await workerIsNotTrusted()
        try await userWithoutHome()
    }

    @Test(.enabled(if: isRoot, needsRoot))
    func `S13: another user's process is refused, and told so`() async throws {
        try await place.daemon()
        let client = try asStranger(
            "napkin-client", ["ping", "--socket", place.socket], of: place)
        #expect(await client.exit() == 77)
        expectAdvice(
            await client.allErrors(), from: "napkin-client",
            ["no permission to connect to \(place.socket)", "another --socket"])
        // Also one that can connect.
        chmod(place.directory, 0o755)
        chmod(place.socket, 0o777)
        let child = try Child(
            "/usr/bin/setpriv",
            [
                "--reuid=\(Self.stranger)", "--clear-groups", "--regid=\(Self.stranger)",
                "/usr/bin/env", "python3", "-c",
                """
                import socket
                s = socket.socket(socket.AF_UNIX)
                s.connect("\(place.socket)")
                s.sendall(bytes(\(Item.hello().map(Int.init))))
                print(s.recv(4096))
                """,
            ])
        let (_, line) = try await child.line { !$0.isEmpty }
        #expect(line.contains("notPermitted"), "\(line)")
    }

    /// Another user's worker is not trusted, whoever redirects there.
    private func workerIsNotTrusted() async throws {
        chmod(place.directory, 0o755)
        let theirs = try directory("workers", of: place, owner: Self.stranger, mode: 0o755)
        let socket = theirs + "/w.sock"
        let worker = try Child(
            "/usr/bin/setpriv",
            [
                "--reuid=\(Self.stranger)", "--regid=\(Self.stranger)", "--clear-groups",
                "/usr/bin/env", "python3", "-c",
                """
                import socket
                s = socket.socket(socket.AF_UNIX)
                s.bind("\(socket)")
                s.listen()
                print("listens", flush=True)
                s.accept()[0].recv(1)
                """,
            ])
        _ = try await worker.line { $0 == "listens" }
        let version = Item.map([("major", .number(1)), ("minor", .number(0))])
        let welcome = Item.map([
            ("version", version), ("server", .text("napkind 0.1.0")), ("pid", .number(1)),
        ])
        let redirect = Item.map([
            ("socket", .text(socket)), ("ticket", .text(String(repeating: "0", count: 32))),
            ("app", .text("rib-house")), ("session", .text("rib-house")),
        ])
        let listener = try RawListener(place.socket) { peer in
            guard try peer.readFrame().kind == 1 else { return }
            peer.send(RawPeer.frame(2, payload: welcome.bytes))
            let (_, sequence, _) = try peer.readNumberedFrame()
            peer.send(RawPeer.frame(17, sequence: sequence, payload: redirect.bytes))
            _ = try peer.readToEnd()
        }
        try await place.fails(
            ["attach", "rib-house", "--control"], 77,
            saying: ["the worker at \(socket) belongs to user \(Self.stranger)"])
        _ = listener
    }

    @Test func `a peer that breaks the rules is logged once`() async throws {
        let daemon = try await place.daemon()
        for _ in 0..<20 {
            let peer = try RawPeer(place.socket)
            peer.send([0xFF, 0xFF, 0xFF, 0x7F])
            _ = try peer.readToEnd()
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        let lines = await daemon.allErrors().split(separator: "\n")
            .filter { $0.contains("suspicious peer") }
        #expect(lines.count == 1 && lines[0].contains("peer.pid=\(getpid())"), "\(lines)")
    }

    /// A user without a home is told so, and no shared directory is used.
    private func userWithoutHome() async throws {
        let theirs = try directory("homeless", of: place, owner: 54_321, mode: 0o700)
        chmod(place.directory, 0o755)
        let copies = try ["napkind", "napkin-client"].map { name in
            let copy = "\(theirs)/\(name)"
            try Product.copy(name, to: copy)
            return copy
        }
        for (program, arguments, status) in [(copies[0], [], 73), (copies[1], ["ls"], 69)] {
            let child = try Child(
                "/usr/bin/setpriv",
                ["--reuid=54321", "--regid=54321", "--clear-groups"]
                    + ["/usr/bin/env", "-u", "HOME", "XDG_STATE_HOME=relative"]
                    + ["XDG_RUNTIME_DIR=\(theirs)", program] + arguments)
            #expect(await child.exit() == Int32(status))
            expectAdvice(
                await child.allErrors(),
                from: program.split(separator: "/").last.map(String.init) ?? "",
                ["user 54321 has no home", "--state-dir DIR"])
        }
        #expect(!FileManager.default.fileExists(atPath: "/tmp/napkin-54321"))
    }

    /// A daemon that cannot start is reported by the client that has started it.
    private func clientReports(_ hasLog: Bool) async throws {
        if hasLog { _ = try directory("napkin", of: place, mode: 0o777) }
        let state = hasLog ? place.state : "/proc/none"
        let child = try Child(
            Product.path("napkin-client"), ["ls"],
            environment: ["XDG_RUNTIME_DIR": place.directory, "XDG_STATE_HOME": state])
        #expect(await child.exit() == 69)
        let log = place.state + "/napkin/napkind.log"
        let words = hasLog ? ["see \(log)"] : ["napkind cannot be started", state]
        expectAdvice(await child.allErrors(), from: "napkin-client", words)
        guard hasLog else { return }
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("chmod 700"))
    }
}
