// NewcomerTests: what a newcomer does wrong, and the sentence that helps.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct NewcomerTests {
    @Test func `no daemon and --no-spawn`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let (status, _, errors) = try await place.run(["ping", "--no-spawn"])
        #expect(status == 69)
        #expect(errors.contains("no napkind at \(place.socket)"))
        #expect(errors.contains("napkind --socket"))
    }

    @Test func `a path that is no socket`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        try Data().write(to: URL(fileURLWithPath: place.socket))
        let (status, _, errors) = try await place.run(["ls"])
        #expect(status != 0)
        #expect(errors.contains("is not a socket"), "\(errors)")
    }

    @Test func `a socket that a dead daemon left is replaced; a living one is respected`()
        async throws
    {
        let place = try Workplace()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let second = try Child(
            Product.path("napkind"), ["--socket", place.socket, "--state-dir", place.state + "2"])
        #expect(await second.exit() == 69)
        #expect(second.errorText.contains("another napkind listens at"), "\(second.errorText)")
        first.signal(SIGKILL)
        _ = await first.exit()
        let third = try await place.daemon()
        let (status, _, _) = try await place.run(["ping"])
        #expect(status == 0)
        _ = third
    }

    @Test func `a state directory has one napkind`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let second = try Child(
            Product.path("napkind"),
            ["--socket", place.directory + "/m.sock", "--state-dir", place.state])
        #expect(await second.exit() == 69)
        #expect(second.errorText.contains("another napkind uses the state directory"))
        _ = first
    }

    @Test(arguments: ["napkind", "napkin-client"])
    func `a socket path that is too long`(program: String) async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let path = place.directory + "/" + String(repeating: "x", count: 108) + ".sock"
        let arguments = program == "napkind" ? ["--socket", path] : ["ping", "--socket", path]
        let child = try Child(Product.path(program), arguments)
        #expect(await child.exit() == 64)
        #expect(child.errorText.contains("107"), "\(child.errorText)")
    }

    @Test func `a directory that others can write is refused, with the way out`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let open = place.directory + "/open"
        try FileManager.default.createDirectory(
            atPath: open, withIntermediateDirectories: false)
        chmod(open, 0o777)
        let child = try Child(
            Product.path("napkind"), ["--socket", open + "/n.sock", "--state-dir", place.state])
        #expect(await child.exit() == 77)
        #expect(child.errorText.contains("chmod 700"), "\(child.errorText)")
    }

    @Test func `an unknown app is answered with those that there are`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let (status, _, errors) = try await place.run(["attach", "rib-hose", "--control"])
        #expect(status != 0)
        #expect(errors.contains("hosts no app 'rib-hose'"), "\(errors)")
        #expect(errors.contains("rib-house"))
        _ = daemon
    }

    @Test func `an unknown session`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        for arguments in [["tree", "nope"], ["kill", "nope"], ["send", "nope", "a.b", "c()"]] {
            let (status, _, errors) = try await place.run(arguments)
            #expect(status != 0, "\(arguments)")
            #expect(errors.contains("no session"), "\(arguments): \(errors)")
            #expect(errors.contains("nope"), "\(arguments): \(errors)")
        }
        _ = daemon
    }

    @Test func `the listings list`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        let (_, apps, _) = try await place.run(["apps", "--json"])
        let app = try #require(try JSON.array(apps.joined()).first)
        #expect(app["state"] as? String == "running")
        #expect(app["sessions"] as? Int == 1)
        let (status, tree, _) = try await place.run(["tree"])
        #expect(status == 0)
        for name in ["rib-house.launch", "rib-house.logged-in", "rib-house.announcements"] {
            #expect(tree.joined().contains(name), "\(name) is not in \(tree)")
        }
        let (_, version, _) = try await place.run(["version"])
        #expect(version.joined().contains("0.1.0"))
        _ = daemon
    }

    @Test func `a session that is killed tells its front and is gone`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        #expect(try await place.run(["kill", "rib-house"]).status == 0)
        #expect(await front.child.exit() != 0)
        #expect(front.child.errorText.contains("ended by"), "\(front.child.errorText)")
        #expect(try await place.run(["ls", "--json"]).lines.joined() == "[]")
        _ = daemon
    }

    @Test func `a read-only front sees and may not act`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let reader = try await place.front(["--read-only"])
        try await reader.mounts(Feature.loggedOut)
        let reply = try await reader.call(Feature.loggedOut, "didTapLogin()")
        #expect(reply.errorCode == "refused")
        let writer = try await place.front()
        try await writer.login()
        try await reader.mounts(Feature.loggedIn)
        _ = daemon
    }

    @Test func `in one process everything works the same`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon(["--in-process"])
        let front = try await place.front()
        try await front.login()
        #expect(try await place.workerPID() == daemon.pid)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
    }

    @Test func `another user's process is refused`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        try #require(getuid() == 0, "only root can act as another user")
        chmod(place.directory, 0o755)
        chmod(place.socket, 0o777)
        let child = try Child(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--clear-groups", "--regid=65534", "/usr/bin/env", "python3", "-c",
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
        _ = daemon
    }
}
