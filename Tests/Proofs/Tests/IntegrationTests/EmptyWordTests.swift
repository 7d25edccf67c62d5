// EmptyWordTests: a value that a shell has left empty is refused, by both programs.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EmptyWordTests {
    private let place = Workplace()

    @Test(arguments: [
        ["ls", "--socket", ""], ["ls", "--socket="], ["attach", ""], ["kill", ""], ["trace", ""],
        ["attach", "rib-house", "--session", ""], ["tree", ""], ["top", ""], ["schema", ""],
        ["schema", "rib-house", "--lock", ""], ["schema", "rib-house", "--check", ""],
        ["new", "app", "Kettle", "--directory", ""], ["new", "app", "Kettle", "--napkin", ""],
        ["new", "app", ""], ["new", "feature", "Boil", "--directory", ""],
        ["open", "", "ribhouse://pit-board"], ["open", "rib-house", ""], ["rename", "a", ""],
        ["send", "rib-house", "", "didTapLogin()"], ["trace", "rib-house", "--feature", ""],
        ["send", "rib-house", "rib-house.logged-out", "didTapLogin()", ""], [""],
    ])
    func `a client refuses it`(words: [String]) async throws {
        let child = try Child(Product.path("napkin-client"), words)
        #expect(await child.exit() == 64)
        expectAdvice(await child.allErrors(), from: "napkin-client", [])
    }

    @Test(arguments: ["--socket", "--state-dir", "--ready-fd", "--log-level", "--apps"])
    func `napkind refuses it`(option: String) async throws {
        let others = ["--socket", place.socket, "--state-dir", place.state]
        for words in [[option, ""], ["\(option)="]] {
            try await place.refuses(others + words, 64, saying: [option, "followed by nothing"])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory).isEmpty)
    }

    @Test func `a line of control input that is too long is refused with its id`() async throws {
        try await place.daemon()
        let front = try await place.front()
        let long = String(repeating: "x", count: 1_048_576)
        try front.child.write(#"{"t":"event","id":"mine","args":["\#(long)"]}"#)
        let reply = try await front.reads { $0.type == "reply" }
        #expect(reply.object["id"] as? String == "mine")
        #expect(reply.errorCode == "malformed")
        try front.child.write(#"{"args":["\#(long)"],"id":1}"#)
        #expect(try await front.reads { $0.type == "reply" }.object["id"] is NSNull)
        try front.child.write(#"{"t":"answer","id":7,"value":"\#(long)"}"#)
        #expect(try await front.reads { $0.type == "refused" }.id == 7)
        try await front.login()
    }
}
