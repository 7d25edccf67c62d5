// SilenceTests: what is said of processes that are stopped, and who waits for them how long.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct SilenceTests {
    private let place = Workplace()

    @Test
    func `S17: a stopped worker is named soon, hides no other, and nobody waits for it for ever`()
        async throws
    {
        let daemon = try await place.daemon()
        let front = try await place.front()
        let cart = try await place.front(app: "cart")
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        let commands: [(words: String, seconds: Int)] = [
            ("ls", 1), ("tree", 1), ("tree rib-house", 1), ("send s f m()", 1),
            ("ls --json", 1), ("tree --json", 1), ("attach rib-house --plain", 10),
        ]
        // All at once: napkind says later for how long the worker has been silent by then.
        let asked = try commands.map {
            try place.client($0.words.split(separator: " ").map(String.init))
        }
        for (child, command) in zip(asked, commands) {
            child.closeInput()
            let (status, lines) = await child.result()
            let errors = await child.allErrors()
            #expect(status == 69, "\(command)")
            let silence = "rib-house (pid \(worker)) has not answered for \(command.seconds) s"
            #expect(errors.contains(silence), "\(command): \(errors)")
            #expect(!lines.joined().contains("No session is running"), "\(command)")
            guard command.words.hasSuffix("--json") else { continue }
            let listed = try JSON.array(lines.joined())
            let names = listed.map { $0["session"] as? String }
            #expect(names == (command.words.hasPrefix("ls") ? ["cart", "rib-house"] : ["cart"]))
            // What napkind knows of a session stays, with the reason why that is all.
            let reasons = listed.compactMap { $0["silence"] as? String }
            #expect(reasons.count == names.count - 1, "\(listed)")
            #expect(reasons.allSatisfy { $0.contains("(pid \(worker))") })
        }
        #expect(await asked[6].allErrors().contains("for rib-house's worker; Ctrl-C gives up"))
        let start = ContinuousClock.now
        let refused = try await place.run(["kill", "rib-house"])
        // Chosen: far below the time that a session may take to end.
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.contains("`napkin-client kill rib-house --force`"), "\(refused)")
        #expect(try await place.run(["ls"]).lines.contains { $0.hasPrefix("rib-house ") })
        // It is done as soon as the worker answers.
        kill(worker, SIGCONT)
        _ = await front.child.exit()
        _ = try await place.sessions { $0.map(\.name) == ["cart"] }
        _ = cart
        try await waitsForAllTogether(daemon)
    }

    /// A new napkind waits for all workers of the last one together.
    private func waitsForAllTogether(_ first: Child) async throws {
        for app in ["rib-house", "cart"] { _ = try await place.front(app: app) }
        let (_, apps, _) = try await place.run(["apps", "--json"])
        let workers = try JSON.array(apps.joined()).compactMap {
            ($0["pid"] as? Int).map(Int32.init)
        }
        #expect(workers.count == 2)
        for worker in workers { kill(worker, SIGSTOP) }
        try await killed(first)
        let start = ContinuousClock.now
        let daemon = try await place.daemon()
        let (status, lines, errors) = try await place.run(["apps", "--json"])
        let waited = ContinuousClock.now - start
        #expect(status == 0 && lines.count == 1, "\(errors)")
        #expect(waited > .seconds(1.9), "\(waited)")
        // Both at the end of one wait.
        try await daemon.errors { $0.contains("cart rib-house") }
    }
}
