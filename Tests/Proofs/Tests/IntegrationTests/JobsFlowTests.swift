// JobsFlowTests: Jobs through its own daemon and client, a script, Python, and a killed worker.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JobsFlowTests {
    private func withJobs(
        at place: Workplace = Workplace(apps: [.jobs], app: "jobs"),
        _ body: (Workplace) async throws -> Void
    ) async throws {
        defer { place.cleanUp() }
        try await place.daemon()
        try await body(place)
    }

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
        try await withJobs { place in
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
    }

    @Test func `a killed worker takes its programs with it, and forgets no job`() async throws {
        try await withJobs { place in
            let pipe = place.directory + "/alive"
            #expect(mkfifo(pipe, 0o600) == 0)
            let reader = try Child("/bin/cat", [pipe])
            _ = try await submit("exec 3>'\(pipe)'; echo up >&3; exec sleep 1000", in: place)
            _ = try await submit("echo later", in: place)
            let front = try await place.front()
            try await front.shows {
                $0.value("jobs.list", "present(jobs:)")?.contains(#""running""#) == true
            }
            _ = try await reader.line { $0 == "up" }
            kill(try await place.workerPID(), SIGKILL)
            _ = await reader.result()
            try await front.shows {
                guard let jobs = $0.value("jobs.list", "present(jobs:)") else { return false }
                return jobs.contains(#""interrupted""#) && jobs.contains(#""succeeded""#)
            }
            #expect(try await submit("true", in: place) == "3, 0")
        }
    }

    @Test(.enabled(if: Namespace.canMount))
    func `a full disk refuses what is new, and undoes nothing`() async throws {
        // The app's directory is a file system of 64 KiB that only the daemon and its worker see.
        let command = """
            data="$XDG_DATA_HOME/napkin/jobs"; mkdir -p "$data" &&
            mount -t tmpfs -o size=64k,mode=700 tmpfs "$data" && exec "$0" "$@"
            """
        let place = Workplace(
            daemon: "/usr/bin/unshare",
            command: ["-rm", "/bin/sh", "-c", command, try Product.path("napkind")],
            apps: [.jobs], app: "jobs")
        try await withJobs(at: place) { place in
            let data = place.directory + "/data/napkin/jobs"
            let gates = (1...2).map { place.directory + "/gate\($0)" }
            func opens(_ gate: Int) -> String {
                "until [ -e '\(gates[gate])' ]; do sleep 0.05; done"
            }
            _ = try await submit("\(opens(1)); rm '\(data)/fill'", in: place)
            let fill = "\(opens(0)); cat /dev/zero > '\(data)/fill'"
            _ = try await submit("--queue", "fill", fill, in: place)
            _ = try await submit("--queue", "fill", "true", in: place)
            let front = try await place.front()
            try "".write(toFile: gates[0], atomically: false, encoding: .utf8)
            try await front.shows {
                $0.value("jobs.list", "present(jobs:)")?.contains(#""failed""#) == true
            }
            #expect(try await submit("true", in: place) == ", 1")
            #expect(try await submit("true", in: place) == ", 1")
            try "".write(toFile: gates[1], atomically: false, encoding: .utf8)
            try await front.shows {
                let jobs = $0.value("jobs.list", "present(jobs:)") ?? ""
                return jobs.components(separatedBy: #""succeeded""#).count == 3
            }
            kill(try await place.workerPID(), SIGKILL)
            #expect(try await submit("--wait", "--after", "3", "true", in: place) == "4, 0")
        }
    }

    @Test func `the script waits for jobs that need one another, and the front in Python for one`()
        async throws
    {
        try await withJobs { place in
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
}
