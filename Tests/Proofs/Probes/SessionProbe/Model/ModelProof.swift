// ModelProof: random sessions, one step after another and many at once, against a model.

import NapkinTesting
import ProofSupport

/// Each case has a session of its own, over real frames in this process.
@MainActor
final class ModelProof {
    private let count: Int
    private let seed: UInt64
    private let watchdog: Watchdog

    init(count: Int, seed: UInt64, watchdog: Watchdog) {
        self.count = count
        self.seed = seed
        self.watchdog = watchdog
    }

    func run() async throws {
        var (steps, calls, concurrentCalls) = (0, 0, 0)
        for number in 0..<UInt64(count) {
            try await inSession("sequential", number) { session, seed in
                let sequence = SequentialCase(session, seed: seed)
                watchdog.report = { "sequential case of --seed \(seed): \(sequence.standing)" }
                let result = try await sequence.run()
                steps += result.steps
                calls += result.calls
            }
        }
        print("sequential \(count) cases: \(steps) steps, \(calls) events: as the model says")
        for number in 0..<UInt64(max(1, count / 5)) {
            try await inSession("concurrent", number) { session, seed in
                concurrentCalls += try await ConcurrentCase(session, seed: seed).run()
            }
        }
        print(
            "concurrent \(max(1, count / 5)) cases: \(concurrentCalls) events: as the model permits"
        )
    }

    /// - Parameter number: of the case; `--seed` with the sum repeats it as the first.
    private func inSession(
        _ kind: String, _ number: UInt64, _ body: (TestSession, UInt64) async throws -> Void
    ) async throws {
        let seed = seed &+ number
        watchdog.reset()
        watchdog.report = { "the \(kind) case \(number), the first of --seed \(seed)" }
        let session = await TestSession.launch(TallyApp.self)
        do {
            try await body(session, seed)
        } catch {
            throw Failure("\(kind) case \(number), the first of --seed \(seed): \(error)")
        }
        await session.end()
    }
}
