// NewcomerTests: what a newcomer does wrong, and the sentence that helps.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NewcomerTests {
    private let place = Workplace()

    @Test func `a socket that a dead daemon left is replaced; a living one is respected`()
        async throws
    {
        let first = try await place.daemon()
        let second = try Child(
            Product.path("napkind"), ["--socket", place.socket, "--state-dir", place.state + "2"])
        #expect(await second.exit() == 69)
        let errors = await second.allErrors()
        #expect(errors.contains("another napkind listens on"), "\(errors)")
        first.signal(SIGKILL)
        _ = await first.exit()
        try await place.daemon()
        let (status, _, _) = try await place.run(["ping"])
        #expect(status == 0)
    }

    @Test func `a state directory has one napkind`() async throws {
        try await place.daemon()
        let second = try Child(
            Product.path("napkind"),
            ["--socket", place.directory + "/m.sock", "--state-dir", place.state])
        #expect(await second.exit() == 69)
        let errors = await second.allErrors()
        #expect(errors.contains("another napkind uses the state directory"), "\(errors)")
    }

    @Test func `the listings list`() async throws {
        try await place.daemon()
        let front = try await place.front()
        try await front.login()
        let (_, apps, _) = try await place.run(["apps", "--json"])
        let all = try JSON.array(apps.joined())
        let names = ["cart", "characters", "rib-house", "transcription"]
        #expect(all.compactMap { $0["app"] as? String } == names)
        let app = try #require(all.first { $0["app"] as? String == "rib-house" })
        #expect(app["state"] as? String == "running")
        #expect(app["sessions"] as? Int == 1)
        let (status, tree, _) = try await place.run(["tree"])
        #expect(status == 0)
        for name in ["rib-house.launch", "rib-house.logged-in", "rib-house.announcements"] {
            #expect(tree.joined().contains(name), "\(name) is not in \(tree)")
        }
        let (_, version, _) = try await place.run(["version"])
        #expect(version.joined().contains("0.1.0"))
    }

    @Test func `S16: a session that is killed tells its front and is gone`() async throws {
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        #expect(try await place.run(["kill", "rib-house"]).status == 0)
        #expect(await front.child.exit() != 0)
        let errors = await front.child.allErrors()
        #expect(errors.contains("ended by"), "\(errors)")
        #expect(try await place.run(["ls", "--json"]).lines.joined() == "[]")
    }

    @Test func `in one process everything works the same`() async throws {
        let daemon = try await place.daemon(["--in-process"], program: "rib-house-worker")
        let front = try await place.front()
        try await front.login()
        #expect(try await place.workerPID() == daemon.pid)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
    }
}
