// StartRaceTests: clients that start a daemon: one of many, and what it inherits.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StartRaceTests {
    private let place = Workplace()

    /// The number in `napkind 0.1.0 (process 7) answered in …`.
    private func process(in line: String) throws -> Int32 {
        let number = line.split(separator: "(process ").last?.prefix { $0.isNumber }
        return try #require(number.flatMap { Int32($0) }, "\(line)")
    }

    /// The process of the daemon that answers there.
    private func daemon(of environment: [String: String]) async throws -> Int32 {
        let ping = try Child(Product.path("napkin-client"), ["ping"], environment: environment)
        await expectSuccess(ping)
        return try process(in: await ping.allLines().first ?? "")
    }

    private func defaults(_ place: Workplace, _ round: Int = 0) throws -> [String: String] {
        let runtime = "\(place.directory)/\(round)"
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        return ["XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": runtime + "/s"]
    }

    /// A client that starts a daemon, or finds one, and says which.
    private func starting(_ environment: [String: String]) throws -> Child {
        try Child(
            "/bin/sh",
            ["-c", #""$0" apps >/dev/null && exec "$0" ping"#, Product.path("napkin-client")],
            environment: environment)
    }

    @Test
    func `ten clients that find no daemon have one, and one waits for a daemon that is ending`()
        async throws
    {
        for round in 1...10 {
            let environment = try defaults(place, round)
            let clients = try (0..<10).map { _ in try starting(environment) }
            var daemons: Set<Int32> = []
            for client in clients {
                await expectSuccess(client)
                daemons.insert(try process(in: await client.allLines().first ?? ""))
            }
            #expect(daemons.count == 1)
            for daemon in daemons { kill(daemon, SIGTERM) }
        }
        try await waitsForItsEnd()
    }

    @Test
    func `a ping starts no daemon, and who starts one hands down nothing but the environment`()
        async throws
    {
        let environment = try defaults(place)
        let ping = try Child(Product.path("napkin-client"), ["ping"], environment: environment)
        #expect(await ping.exit() == 69)
        expectAdvice(await ping.allErrors(), from: "napkin-client", ["napkind.sock"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory + "/0") == [])
        let elsewhere = TemporaryDirectory()
        try Spawned.alone {
            try FileManager.default.copyItem(
                atPath: Product.path("napkin-client"), toPath: elsewhere("napkin-client"))
        }
        let client = try Child(
            elsewhere("napkin-client"), ["apps"],
            environment: environment.merging(["PATH": elsewhere.path]) { $1 })
        #expect(await client.exit() == 69)
        expectAdvice(
            await client.allErrors(), from: "napkin-client", ["napkind to start", "to PATH"])
        try await inheritsNothing(environment)
    }

    @Test func `an app's front that lies elsewhere starts the daemon of its client`() async throws {
        let elsewhere = TemporaryDirectory()
        try Spawned.alone {
            try FileManager.default.copyItem(
                atPath: Product.path("rib-house"), toPath: elsewhere("rib-house"))
        }
        let app = InstalledApp(
            "rib-house", worker: "rib-house-worker", front: elsewhere("rib-house"))
        let place = Workplace(apps: [app])
        let environment = place.environment.merging(try defaults(place)) { $1 }
        let client = try Product.path("napkin-client")
        let front = try Child(
            client, ["attach", "rib-house", "--plain"], environment: environment)
        let (shown, _) = try await front.line { $0.contains("· connected ·") }
        kill(try await daemon(of: environment), SIGKILL)
        for worker in Vitals.processes(mentioning: place.directory + "/0/napkin/rib-house.sock") {
            kill(worker, SIGKILL)
        }
        let (lost, _) = try await front.line(from: shown + 1) { $0.contains("disconnected") }
        _ = try await front.line(from: lost + 1) { $0.contains("· connected ·") }
        front.signal(SIGTERM)
        #expect(await front.exit() == 0)
        kill(try await daemon(of: environment), SIGTERM)
    }

    /// A client waits for a daemon that is just ending, and starts the next.
    private func waitsForItsEnd() async throws {
        let environment = try defaults(place)
        // It holds the state directory's lock, and listens nowhere near.
        let holder = try Child(
            Product.path("napkind"),
            [
                "--socket", place.socket, "--state-dir", place.directory + "/0/s/napkin",
                "--ready-fd", "1",
            ], environment: place.environment)
        _ = try await holder.line { $0 == "ready \(place.socket)" }
        let client = try starting(environment)
        let log = place.directory + "/0/s/napkin/napkind.log"
        let reader = try Child("/usr/bin/tail", ["-n", "+1", "-F", log])
        _ = try await reader.line { $0.contains("another napkind uses the state directory") }
        holder.signal(SIGTERM)
        #expect(await holder.exit() == 0)
        await expectSuccess(client)
        kill(try process(in: await client.allLines().first ?? ""), SIGTERM)
    }

    @Test func `a daemon waits for the lock that a dead one has left to its child`() async throws {
        // As after a death between fork and exec: the child has the lock and the claim.
        let script = """
            import fcntl, os, signal, socket, sys
            os.makedirs(os.path.dirname(sys.argv[1]), 0o700)
            lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            hash = 0xCBF29CE484222325
            for byte in sys.argv[1].encode():
                hash = (hash ^ byte) * 0x100000001B3 & (1 << 64) - 1
            claim = socket.socket(socket.AF_UNIX)
            claim.bind(f"\\0napkin/{os.geteuid()}/{hash:x}")
            claim.listen()
            child = os.fork()
            if child == 0:
                os.close(1)
                signal.pause()
            print(child)
            """
        let lock = place.state + "/napkind.lock"
        let dead = try Child("/usr/bin/env", ["python3", "-c", script, lock])
        let heir = try #require(Int32(await dead.allLines().first ?? ""))
        #expect(await dead.exit() == 0)
        let daemon = Child(try place.spawn([]))
        func waits() throws -> Bool {
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
                .contains { $0.contains("-> FLOCK") && $0.contains(" \(daemon.pid) ") }
        }
        while try !waits(), daemon.errorText.isEmpty, !Task.isCancelled { await Task.yield() }
        kill(heir, SIGKILL)
        _ = try await daemon.line { $0 == "ready \(place.socket)" }
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
    }

    /// A daemon that a client starts inherits nothing but the environment.
    private func inheritsNothing(_ environment: [String: String]) async throws {
        let client = try Child(
            "/bin/sh",
            [
                "-c",
                """
                cd "$1" && umask 0 && trap '' HUP INT QUIT USR1 TERM
                exec 5</etc/passwd 7>"$1/odd" 9<&0
                "$0" apps >/dev/null && exec "$0" ping
                """, try Product.path("napkin-client"), place.directory,
            ], environment: environment)
        await expectSuccess(client)
        let daemon = try process(in: await client.allLines().first ?? "")
        defer { kill(daemon, SIGTERM) }
        func link(_ name: String) throws -> String {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon)/\(name)")
        }
        #expect(try link("cwd") == "/")
        let log = place.directory + "/0/s/napkin/napkind.log"
        #expect(try ["fd/0", "fd/1", "fd/2"].map(link) == ["/dev/null", log, log])
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/fd")
            .map { try link("fd/\($0)") }
        #expect(!open.contains { $0.contains("passwd") }, "\(open)")
        #expect(!open.contains { $0.hasSuffix("/odd") }, "\(open)")
        let stat = try String(contentsOfFile: "/proc/\(daemon)/stat", encoding: .utf8)
            .split(separator: ") ")[1].split(separator: " ")
        // state ppid pgrp session tty_nr: see proc(5).
        #expect(stat[3] == "\(daemon)" && stat[4] == "0", "\(stat)")
        let status = try String(contentsOfFile: "/proc/\(daemon)/status", encoding: .utf8)
        for line in ["Umask:\t0077", "SigBlk:\t0000000000000000"] {
            #expect(status.contains(line), "\(line) is not in \(status)")
        }
        let ignored = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
        // Of the signals that have names only SIGPIPE, number 13, is ignored.
        let mask = try #require(UInt64(ignored.dropFirst(8), radix: 16))
        #expect(mask & 0x7FFF_FFFF == 0x1000, "\(ignored)")
    }
}
