// HeldProgramTests: programs that go on while everything around them is killed.

import Foundation
import ProofSupport
import Testing

/// How often something is killed under a program that counts.
private let kills = ProcessInfo.processInfo.environment["NAPKIN_HOLDS"].flatMap { Int($0) } ?? 12

/// Jobs, with a look at what its keepers write.
private struct JobsPlace {
    let place: Workplace
    let gate: String
    /// The root of the file system that the daemon sees.
    var root = ""

    init(daemon: String = "napkind", command: [String] = []) {
        place = Workplace(daemon: daemon, command: command, apps: [.jobs], app: "jobs")
        gate = place.directory + "/gate"
    }

    /// Counts, a line each time, until the gate is there.
    var counting: String {
        "i=0; until [ -e '\(gate)' ]; do i=$((i+1)); echo $i; sleep 0.002; done; exit 5"
    }

    /// Submits a job and returns when its program runs.
    func submit(_ command: String) async throws {
        let child = try Child(
            Product.path("jobs"), ["submit", "--socket", place.socket, command],
            environment: place.environment)
        child.closeInput()
        let (status, lines) = await child.result()
        try Failure.unless(status == 0, "submit: \(lines)")
        try await shows("running")
        // It may not have been started yet, and then has no file.
        while (try? number(32)) ?? 0 == 0 { await Task.yield() }
    }

    func open() throws {
        try Failure.unless(FileManager.default.createFile(atPath: gate, contents: nil), gate)
    }

    /// The file of a job's keeper, header and ring.
    func file(_ job: Int = 1) throws -> Data {
        let path = "\(root)\(place.state)/programs/jobs/jobs.held/job-\(job).held/output"
        return try Data(contentsOf: URL(filePath: path))
    }

    func number<T: FixedWidthInteger>(_ offset: Int, as type: T.Type = UInt32.self) throws -> T {
        let bytes = try file().dropFirst(offset).prefix(MemoryLayout<T>.size)
        try Failure.unless(bytes.count == MemoryLayout<T>.size, "there is no header yet")
        return bytes.reversed().reduce(0) { $0 << 8 | T($1) }
    }

    /// All that the program has written, as long as it is less than the ring holds.
    func output() throws -> String {
        let end = Int(try number(16, as: UInt64.self))
        return String(decoding: try file().dropFirst(4096).prefix(end), as: UTF8.self)
    }

    /// Waits on a front until the job's state is this one.
    func shows(_ state: String) async throws {
        let front = try await place.front()
        try await front.shows {
            $0.value("jobs.list", "present(jobs:)")?.contains(#""state":"\#(state)""#) == true
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(30)))
struct HeldProgramTests {
    @Test func `a job counts on through kills of worker and napkind, and its end is known`()
        async throws
    {
        let jobs = JobsPlace()
        var daemon = try await jobs.place.daemon()
        try await jobs.submit(jobs.counting)
        let program = try jobs.number(40)
        for round in 0..<kills {
            let worker = try await jobs.place.workerPID()
            if round % 3 != 1 { kill(worker, SIGKILL) }
            if round % 3 != 0 {
                try await killed(daemon)
                daemon = try await jobs.place.daemon()
            }
            _ = try await jobs.place.sessions {
                $0.contains { $0.name == "jobs" && $0.object["silence"] == nil }
            }
            #expect(try jobs.number(40) == program && jobs.number(32) == 1)
        }
        // It ends while nobody is there.
        let worker = try await jobs.place.workerPID()
        kill(worker, SIGSTOP)
        try await killed(daemon)
        kill(worker, SIGKILL)
        try jobs.open()
        while try jobs.number(32) == 1 { await Task.yield() }
        try await jobs.place.daemon()
        try await jobs.shows("failed")
        let lines = try jobs.output().split(separator: "\n").map { Int($0) }
        #expect(lines == (1...lines.count).map { $0 })
        #expect(try jobs.number(32) == 2 && jobs.number(36) == 5)
        print("\(kills) kills under a program that wrote \(lines.count) lines, each once")
    }

    @Test func `a job whose keeper is killed is interrupted, and can be tried again`()
        async throws
    {
        let jobs = JobsPlace()
        try await jobs.place.daemon()
        try await jobs.submit(jobs.counting)
        kill(Int32(try jobs.number(44)), SIGKILL)
        try await jobs.shows("interrupted")
        try jobs.open()
        let front = try await jobs.place.front()
        try await front.mounts("jobs.jobs")
        #expect(try await front.call("jobs.jobs", "retry(_:)", "[1]").isOK)
        try await jobs.shows("failed")
        #expect(try jobs.number(36) == 5)
    }

    @Test func `status lists what a session holds, and kill ends it when told to`() async throws {
        let jobs = JobsPlace()
        try await jobs.place.daemon()
        try await jobs.submit(jobs.counting)
        let listed = try await jobs.place.run(["status"])
        #expect(listed.lines.contains { $0.hasPrefix("job-1 ") && $0.contains("running") })
        let killed = try await jobs.place.run(["kill", "jobs"])
        #expect(killed.status == 0 && killed.errors.contains("still running: job-1 of jobs"))
        let left = try await jobs.place.run(["doctor"])
        #expect(left.lines.joined(separator: " ").contains("its session is gone"))
        let ended = try await jobs.place.run(["kill", "jobs", "--programs"])
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(throws: (any Error).self) { try jobs.file() }
        #expect(try await jobs.place.run(["kill", "jobs", "--programs"]).status != 0)
    }

    @Test(.enabled(if: Namespace.canMount))
    func `a job waits for a full disk, and loses nothing`() async throws {
        let small = """
            state="${XDG_DATA_HOME%/data}/s"; mkdir -p "$state" &&
            mount -t tmpfs -o size=2m,mode=700 tmpfs "$state" &&
            head -c 1835008 /dev/zero >"$state/filler"
            """
        var jobs = JobsPlace(
            daemon: "/usr/bin/unshare",
            command: ["-rm", "/bin/sh", "-c", small + #" && exec "$0" "$@""#]
                + [try Product.path("napkind")])
        _ = try await jobs.place.daemon()
        let daemon = try #require(
            Vitals.processes(mentioning: jobs.place.socket, "napkind").first)
        jobs.root = "/proc/\(daemon)/root"
        try await jobs.submit("seq 60000; : '\(jobs.gate)'")
        while try jobs.number(48) == 0 { await Task.yield() }
        #expect(try jobs.number(32) == 1)
        try FileManager.default.removeItem(atPath: "\(jobs.root)\(jobs.place.state)/filler")
        try await jobs.shows("succeeded")
        let all = (1...60_000).map { "\($0)\n" }.joined()
        #expect(try jobs.output() == all)
    }
}
