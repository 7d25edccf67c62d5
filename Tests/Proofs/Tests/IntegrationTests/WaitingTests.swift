// WaitingTests: a test whose time is over does not wait on.

import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WaitingTests {
    @Test func `a wait that is cancelled says what it waits for and what it has seen`()
        async throws
    {
        let child = try Child("/bin/sh", ["-c", "echo why >&2; echo one; exec sleep 600"])
        try await child.errors { $0 == "why\n" }
        _ = try await child.line { $0 == "one" }
        let line = Task { try await child.line { $0 == "two" } }
        let errors = Task { try await child.errors { $0 == "two" } }
        let ends = Task { (await child.exit(), await child.allLines(), await child.allErrors()) }
        for task in [line.cancel, errors.cancel, ends.cancel] { task() }
        for result in [await line.result.map { _ in }, await errors.result] {
            guard case .failure(let failure) = result else {
                Issue.record("nothing has failed")
                continue
            }
            #expect("\(failure)".contains("WaitingTests.swift"))
            #expect("\(failure)".contains("one") && "\(failure)".contains("why"))
        }
        let (status, lines, text) = await ends.value
        #expect((status, lines, text) == (.min, ["one"], "why\n"))
    }
}
