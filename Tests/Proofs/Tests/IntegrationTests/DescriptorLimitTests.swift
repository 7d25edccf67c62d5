// DescriptorLimitTests: how many sockets napkind and its workers may have.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DescriptorLimitTests {
    /// Soft and hard limit of open files.
    private func limits(of pid: Int32) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return line.split(separator: " ").filter { Int($0) != nil }.map(String.init)
    }

    /// It needs no thread but its own.
    private func hasOneThread(_ daemon: Child, _ place: Workplace) async throws {
        let front = try await place.front(["--session", "main"])
        try await front.mounts(Depot.till)
        for words in [["ls"], ["status"], ["stop", "till", "--force"], ["start", "till"]] {
            #expect(try await place.run(words).status == 0)
        }
        let threads = "/proc/\(daemon.pid)/task"
        #expect(try FileManager.default.contentsOfDirectory(atPath: threads).count == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
    }

    @Test func `where there can be no further process, napkind says so and goes on`() async throws {
        let directory = TemporaryDirectory()
        // No limit of processes binds root.
        let user: UInt32 = 64_123
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(directory.path, user, user) == 0) }
        let command =
            isRoot
            ? ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
            : ["/usr/bin/env"]
        func start(_ limit: [String], _ name: String, _ words: [String]) throws -> Child {
            let path = directory(name)
            if !FileManager.default.fileExists(atPath: path) { try Product.copy(name, to: path) }
            chmod(path, 0o755)
            let all = command + limit + [path] + words + ["--socket", directory("n.sock")]
            return try Child(
                all[0], Array(all.dropFirst()), environment: ["HOME": directory.path])
        }
        mkdir(directory("apps"), 0o755)
        try #"{"id": "till", "worker": {"program": "/bin/true"}}"#
            .write(toFile: directory("apps/till.json"), atomically: true, encoding: .utf8)
        let daemon = try start(
            ["/usr/bin/prlimit", "--nproc=1"], "napkind",
            ["--state-dir", directory("s"), "--apps", directory("apps"), "--ready-fd", "1"])
        _ = try await daemon.line { $0.hasPrefix("ready ") }
        let client = try start([], "napkin-client", ["attach", "till", "--control"])
        #expect(await client.exit() == 69)
        let errors = await client.allErrors()
        #expect(errors.contains("`ulimit -u`"), "\(errors)")
        #expect(await (try start([], "napkin-client", ["ping"])).exit() == 0)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
    }

    @Test(arguments: [4, 8, 12, 16, 20, 24]) func `a client with few descriptors says so`(
        count: Int
    ) async throws {
        let place = Workplace()
        let client = try Child(
            "/bin/sh",
            [
                "-c", "ulimit -n \(count) && exec \"$0\" \"$@\"",
                try Product.path("napkin-client"), "ls", "--socket", place.socket,
            ], environment: place.environment)
        let status = await client.exit()
        let errors = await client.allErrors()
        let isLimit = status == 71 && errors.contains("`ulimit -n`")
        #expect(isLimit || status == 69 && errors.contains("no napkind"), "\(status): \(errors)")
        if count <= 12 || count == 24 { #expect(isLimit == (count <= 12), "\(count)") }
    }

    @Test
    func `napkind may have as many as the hard limit allows, as its workers, and needs one thread`()
        async throws
    {
        let place = Workplace(apps: InstalledApp.starts(), app: "till")
        let daemon = try Child(
            "/bin/sh",
            [
                "-c", "ulimit -Sn 256 && exec \"$0\" \"$@\"", try Product.path("napkind"),
                "--socket", place.socket, "--state-dir", place.state, "--ready-fd", "1",
            ], environment: place.environment)
        _ = try await daemon.line { $0 == "ready \(place.socket)" }
        let front = try await place.front()
        let worker = try await place.workerPID()
        for pid in [daemon.pid, worker] {
            let found = try limits(of: pid)
            #expect(found.count == 2 && found[0] == found[1], "\(found)")
        }
        front.child.closeInput()
        #expect(await front.child.exit() == 0)
        try await hasOneThread(daemon, place)
    }
}
