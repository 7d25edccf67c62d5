// ReplacementTests: napkind is replaced while events flow.

import Foundation
import ProofSupport
import Testing

/// How often napkind is replaced.
private let replacements =
    ProcessInfo.processInfo.environment["NAPKIN_REPLACEMENTS"].flatMap { Int($0) } ?? 5

@Suite(.timeLimit(.minutes(30)))
struct ReplacementTests {
    @Test func `napkind is replaced again and again under load, and each event counts once`()
        async throws
    {
        let depot = try await Depot()
        try await depot.install(more: "")
        var daemon = depot.daemon
        let front = try await depot.place.front(["--session", "a"])
        try await front.mounts(Depot.till)
        let worker = try await depot.place.workerPID()
        let directory = TemporaryDirectory()
        var sent: [Int] = []
        func send() throws {
            for _ in 0..<100 { sent.append(try front.send(Depot.till, "ring()")) }
        }
        var away: [Duration] = []
        for round in 0..<replacements {
            try send()
            try Product.copy("napkind", to: directory("napkind.new"))
            rename(directory("napkind.new"), directory("napkind"))
            let start = ContinuousClock.now
            if round.isMultiple(of: 2) {
                let command = try depot.place.client(["restart", "napkind"])
                try send()
                #expect(await daemon.exit() == 0)
                daemon = try await depot.place.daemon(program: directory("napkind"))
                let errors = await command.allErrors()
                #expect(await command.exit() == 0, "\(errors)")
            } else {
                daemon.signal(SIGKILL)
                try send()
                #expect(await daemon.exit() == -SIGKILL)
                daemon = try await depot.place.daemon(program: directory("napkind"))
            }
            try send()
            #expect(try await depot.held()["a"] == worker)
            away.append(ContinuousClock.now - start)
        }
        var counted: [Int] = []
        for id in sent {
            let reply = try await front.reads { $0.type == "reply" }
            try #require(reply.id == id)
            counted.append(reply.object["value"] as? Int ?? 0)
        }
        #expect(counted == Array(1...sent.count))
        #expect(!front.wasDisconnected && depot.running == [worker])
        let longest = away.max() ?? .zero
        print(
            "napkind replaced \(replacements) times among \(sent.count) events, each once;",
            "until the next one knew the session: at most \(longest)")
    }
}
