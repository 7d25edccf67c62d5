// HeldProgramTests: programs that go on while everything around them is killed.

import Foundation
import ProofSupport
import Testing

/// How often something is killed under a program that counts.
private let kills = ProcessInfo.processInfo.environment["NAPKIN_HOLDS"].flatMap { Int($0) } ?? 12

/// Desk, with a look at what its keepers write.
private struct DeskPlace {
    let place: Workplace
    let gate: String
    /// The root of the file system that the daemon sees.
    var root = ""

    init(daemon: String = "napkind", command: [String] = []) {
        place = Workplace(daemon: daemon, command: command, apps: [.desk], app: "desk")
        gate = place.directory + "/gate"
    }

    /// Counts, a line each time, until the gate is there.
    var counting: String {
        "i=0; until [ -e '\(gate)' ]; do i=$((i+1)); echo $i; sleep 0.002; done; exit 5"
    }

    /// Runs a command and returns when its program runs.
    func run(_ command: String) async throws {
        let child = try Child(
            Product.path("desk"), ["run", "--socket", place.socket, "--pipe", command],
            environment: place.environment)
        child.closeInput()
        let (status, lines) = await child.result()
        try Failure.unless(status == 0, "run: \(lines)")
        try await shows("running")
        // It may not have been started yet, and then has no file.
        while (try? number(32)) ?? 0 == 0 { await Task.yield() }
    }

    func open() throws {
        try Failure.unless(FileManager.default.createFile(atPath: gate, contents: nil), gate)
    }

    /// The file of the only keeper, header and ring.
    func file() throws -> Data {
        let directory = "\(root)\(place.state)/programs/desk/desk.held"
        let held = try FileManager.default.contentsOfDirectory(atPath: directory)
            .first { $0.hasSuffix(".held") }
        return try Data(
            contentsOf: URL(filePath: "\(directory)/\(held ?? "nothing held")/output"))
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

    /// Waits on a front until the run's state is this one.
    func shows(_ state: String) async throws {
        let front = try await place.front()
        try await front.shows {
            $0.value("desk.list", "present(runs:)")?.contains(#""state":"\#(state)""#) == true
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(30)))
struct HeldProgramTests {
    @Test func `a run counts on through kills of worker and napkind, and its end is known`()
        async throws
    {
        let desk = DeskPlace()
        var daemon = try await desk.place.daemon()
        try await desk.run(desk.counting)
        let program = try desk.number(40)
        for round in 0..<kills {
            let worker = try await desk.place.workerPID()
            if round % 3 != 1 { kill(worker, SIGKILL) }
            if round % 3 != 0 {
                try await killed(daemon)
                daemon = try await desk.place.daemon()
            }
            _ = try await desk.place.sessions {
                $0.contains { $0.name == "desk" && $0.object["silence"] == nil }
            }
            #expect(try desk.number(40) == program && desk.number(32) == 1)
        }
        // It ends while nobody is there.
        let worker = try await desk.place.workerPID()
        kill(worker, SIGSTOP)
        try await killed(daemon)
        kill(worker, SIGKILL)
        try desk.open()
        while try desk.number(32) == 1 { await Task.yield() }
        try await desk.place.daemon()
        try await desk.shows("failed")
        let lines = try desk.output().split(separator: "\n").map { Int($0) }
        #expect(lines == (1...lines.count).map { $0 })
        #expect(try desk.number(32) == 2 && desk.number(36) == 5)
        print("\(kills) kills under a program that wrote \(lines.count) lines, each once")
    }

    /// A run whose keeper is killed is lost, and can run again.
    private func isLost(_ desk: DeskPlace) async throws {
        try await desk.run(desk.counting)
        kill(Int32(try desk.number(44)), SIGKILL)
        try await desk.shows("lost")
        try desk.open()
        let front = try await desk.place.front()
        try await front.mounts("desk.desk")
        #expect(try await front.call("desk.desk", "act(_:on:)", #"["again",["1"]]"#).isOK)
        try await desk.shows("failed")
        #expect(try desk.number(36) == 5)
    }

    @Test
    func `status lists what a session holds, kill ends it, and without its keeper it is lost`()
        async throws
    {
        let desk = DeskPlace()
        try await desk.place.daemon()
        try await desk.run(desk.counting)
        let listed = try await desk.place.run(["status"])
        #expect(listed.lines.contains { $0.hasPrefix("1-1-") && $0.contains("running") })
        let killed = try await desk.place.run(["kill", "desk"])
        #expect(killed.status == 0 && killed.errors.contains("still running: 1-1-"))
        let left = try await desk.place.run(["doctor"])
        #expect(left.lines.joined(separator: " ").contains("its session is gone"))
        let ended = try await desk.place.run(["kill", "desk", "--programs"])
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(throws: (any Error).self) { try desk.file() }
        #expect(try await desk.place.run(["kill", "desk", "--programs"]).status != 0)
        try await isLost(desk)
    }

    @Test(.enabled(if: Namespace.canMount))
    func `a run waits for a full disk, and loses nothing`() async throws {
        // The keepers' disk alone: the session's own has room.
        let small = """
            state="${XDG_DATA_HOME%/data}/s"; mkdir -m 700 "$state" "$state/programs" &&
            mount -t tmpfs -o size=2m,mode=700 tmpfs "$state/programs" &&
            head -c 1835008 /dev/zero >"$state/programs/filler"
            """
        var desk = DeskPlace(
            daemon: "/usr/bin/unshare",
            command: ["-rm", "/bin/sh", "-c", small + #" && exec "$0" "$@""#]
                + [try Product.path("napkind")])
        _ = try await desk.place.daemon()
        let daemon = try #require(
            Vitals.processes(mentioning: desk.place.socket, "napkind").first)
        desk.root = "/proc/\(daemon)/root"
        try await desk.run("seq 60000; : '\(desk.gate)'")
        while try desk.number(48) == 0 { await Task.yield() }
        #expect(try desk.number(32) == 1)
        try FileManager.default.removeItem(
            atPath: "\(desk.root)\(desk.place.state)/programs/filler")
        try await desk.shows("succeeded")
        let all = (1...60_000).map { "\($0)\n" }.joined()
        #expect(try desk.output() == all)
    }
}
