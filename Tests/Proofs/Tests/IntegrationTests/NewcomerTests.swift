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
        #expect(try await place.run(["ping"]).status == 0)
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
}
