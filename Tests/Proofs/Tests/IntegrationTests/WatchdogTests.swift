// WatchdogTests: workers whose loop does not answer, and handlers that hold it up.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WatchdogTests {
    private static let till = "starts.till"
    private static let reason = "its loop did not answer for 1 s"

    /// A workplace with an installed till that may hang for so many seconds.
    private func shop(
        _ environment: [String: String] = [:], hang: Int = 1
    ) throws -> Workplace {
        let place = Workplace(apps: [], app: "till", environment: environment)
        let apps = place.directory + "/data/napkin/apps"
        try FileManager.default.createDirectory(
            atPath: apps, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let program = try Product.path("StartWorker")
        let manifest = #"{"id": "till", "hang": \#(hang), "worker": {"program": "\#(program)"}}"#
        try manifest.write(toFile: apps + "/till.json", atomically: true, encoding: .utf8)
        chmod(apps + "/till.json", 0o644)
        return place
    }

    private func app(_ place: Workplace) async throws -> [String: Any] {
        let (_, lines, _) = try await place.run(["apps", "--json"])
        return try JSON.array(lines.joined()).first { $0["app"] as? String == "till" } ?? [:]
    }

    /// Holds up the loop of the front's worker, which must be ended for it.
    private func hang(_ front: ControlFront) async throws {
        try front.send(Self.till, "hold(milliseconds:)", args: "[600000]")
        try await front.reads { $0.type == "resumed" }
    }

    @Test func `a worker that has hung since before napkind was started is ended`() async throws {
        let place = try shop()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.till)
        let worker = try await place.workerPID()
        try front.send(Self.till, "hold(milliseconds:)", args: "[600000]")
        // Nobody pings it any more.
        try await killed(first)
        try await place.daemon()
        try await front.reads { $0.type == "resumed" }
        #expect(try await app(place)["death"] as? String == "it did not register for 1 s")
        #expect(try await place.workerPID() != worker)
    }

    @Test(arguments: [false, true])
    func `a worker that hangs is ended and started again, and its receipt says where it was`(
        outlivesNapkind: Bool
    ) async throws {
        let place = try shop()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.till)
        let worker = try await place.workerPID()
        if outlivesNapkind {
            try await killed(first)
            try await place.daemon()
            #expect(try await place.workerPID() == worker)
        }
        let logs = try place.client(["logs", "till", "--follow"])
        let start = ContinuousClock.now
        try await hang(front)
        print("ended and started again after \(ContinuousClock.now - start)")
        let (_, line) = try await logs.line { $0.contains("worker died") }
        #expect(line.contains(Self.reason), "\(line)")
        let app = try await app(place)
        #expect(app["death"] as? String == Self.reason && app["crashes"] as? Int == 1, "\(app)")
        #expect(app["pid"] as? Int != Int(worker))
        #expect(try await front.call(Self.till, "ring()").isOK)
        let (status, lines, errors) = try await place.run(["crash", "show", "till", "1", "--all"])
        #expect(status == 0, "\(errors)")
        #expect(lines.contains { $0.contains("starts.till hold(milliseconds: ") }, "\(lines)")
        // Functions that call none may have no frame; the one that started the handler has.
        #expect(lines.contains { $0.contains("NodeCall.launch(_:)") }, "\(lines)")
    }

    @Test func `a worker that somebody has stopped is left alone`() async throws {
        let place = try shop()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.till)
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        // Meanwhile another one of the same patience is ended twice, which takes longer.
        let other = try shop()
        defer { other.cleanUp() }
        try await other.daemon()
        let held = try await other.front()
        try await held.mounts(Self.till)
        for _ in 1...2 { try await hang(held) }
        #expect(try await app(other)["crashes"] as? Int == 2)
        kill(worker, SIGCONT)
        #expect(try await front.call(Self.till, "ring()").isOK)
        #expect(!front.wasDisconnected)
        let app = try await app(place)
        #expect(app["crashes"] as? Int == 0 && app["pid"] as? Int == Int(worker), "\(app)")
    }

    @Test(.enabled(if: getuid() == 0, "only root can trace what is not its child"))
    func `a worker that a debugger holds is left alone`() async throws {
        let place = try shop()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.till)
        let worker = try await place.workerPID()
        let tracer = try Child(
            "/usr/bin/strace", ["-e", "trace=none", "-o", "/dev/null", "-p", "\(worker)"])
        try await tracer.errors { $0.contains("attached") }
        // Longer than the time between two pings, and the patience.
        let id = try front.send(Self.till, "hold(milliseconds:)", args: "[2600]")
        try await front.reads { $0.type == "reply" && $0.id == id }
        #expect(!front.wasDisconnected)
        #expect(try await place.workerPID() == worker)
        tracer.signal(SIGINT)
        _ = await tracer.exit()
    }

    @Test func `a handler that holds up the loop is named, one in a second`() async throws {
        let place = try shop(hang: 10)
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        let logs = try place.client(["logs", "till", "--follow"])
        try await front.call(Self.till, "ring()")
        for milliseconds in [150, 110, 110, 1000] {
            let id = try front.send(Self.till, "hold(milliseconds:)", args: "[\(milliseconds)]")
            try await front.reads { $0.type == "reply" && $0.id == id }
        }
        let (index, first) = try await logs.line { $0.contains("handlerSlow") }
        for word in [#""starts.till""#, #""hold(milliseconds:)""#, " seconds, others: 0"] {
            #expect(first.contains(word), "\(word) is not in \(first)")
        }
        let (_, second) = try await logs.line(from: index + 1) { $0.contains("handlerSlow") }
        #expect(second.contains("others: 2"), "\(second)")
    }
}
