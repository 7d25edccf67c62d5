// JobsFlowTests: Jobs through its own daemon and client, a script, Python, and a killed worker.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JobsFlowTests {
    private let place = Workplace(apps: [.jobs], app: "jobs")

    private func run(
        _ program: String, _ arguments: [String], in place: Workplace,
        _ environment: [String: String] = [:]
    ) async throws -> (status: Int32, lines: [String]) {
        let own = place.environment.merging(environment) { $1 }
        let child = Child(try Spawned(program, arguments, environment: own))
        child.closeInput()
        return await child.result()
    }

    /// Submits a job; what was printed, and the status: `3, 0`.
    private func submit(_ arguments: String..., in place: Workplace) async throws -> String {
        let (status, lines) = try await run(
            Product.path("jobs"), ["submit", "--socket", place.socket] + arguments, in: place)
        return "\(lines.joined(separator: " ")), \(status)"
    }

    @Test func `submit prints the number, and waits for the status if it is asked to`()
        async throws
    {
        try await place.daemon()
        // The session is there before anybody.
        #expect(try await place.sessions().map(\.name) == ["jobs"])
        // Several words reach the program as they are.
        let text = "a  'b'"
        let answers = [
            try await submit("true", in: place),
            try await submit("--wait", "exit 7", in: place),
            try await submit("--wait", "--after", "2", "true", in: place),
            try await submit("--wait", "test", text, "=", text, in: place),
            try await submit("--after", "99", "true", in: place),
        ]
        #expect(answers == ["1, 0", "2, 7", "3, 1", "4, 0", ", 1"])
        // It takes files as well.
        let front = try await place.front()
        let drop = place.directory + "/data/napkin/jobs/jobs.drop"
        try "exit 5\n".write(toFile: drop + "/five.job", atomically: true, encoding: .utf8)
        try await front.shows {
            $0.value("jobs.list", "present(jobs:)")?.contains(#""status":5"#) == true
        }
    }

    @Test func `the script waits for jobs that need one another, and the front in Python for one`()
        async throws
    {
        try await place.daemon()
        let script = Repository.root + "/examples/Jobs/nightly.sh"
        let bin = URL(filePath: try Product.path("jobs")).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let environment = ["PATH": "\(bin):\(path)", "JOBS_SOCKET": place.socket]
        let (status, lines) = try await run(
            script, ["true", #"test "a" = a"#, "exit 3"], in: place, environment)
        #expect(status == 3)
        #expect(lines.last == "job 3 failed")
        let front = Repository.root + "/examples/Jobs/jobs_front.py"
        let python = try await run(
            Python.path(), [front, "--socket", place.socket, "echo one; exit 6"], in: place)
        #expect(python.status == 6 && python.lines == ["$ echo one; exit 6", "one"])
    }
}
