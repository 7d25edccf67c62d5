// WatchdogTests: workers whose loop does not answer, and handlers that hold it up.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WatchdogTests {
    private static let reason = "its loop did not answer for 1 s"

    /// A till that may hang for so many seconds, and a front of it.
    private func shop(hang: Int = 1) async throws -> (Depot, ControlFront) {
        let depot = try await Depot()
        try await depot.install(more: #", "hang": \#(hang)"#)
        let front = try await depot.place.front()
        try await front.mounts(Depot.till)
        return (depot, front)
    }

    /// Holds up the loop of the front's worker, which must be ended for it.
    private func hang(_ front: ControlFront) async throws {
        try front.send(Depot.till, "hold(milliseconds:)", args: "[600000]")
        try await front.reads { $0.type == "resumed" }
    }

    @Test func `a worker that has hung since before napkind was started is ended`() async throws {
        let (depot, front) = try await shop()
        let place = depot.place
        let worker = try await place.workerPID()
        try front.send(Depot.till, "hold(milliseconds:)", args: "[600000]")
        // Nobody pings it any more.
        try await killed(depot.daemon)
        try await place.daemon()
        try await front.reads { $0.type == "resumed" }
        #expect(try await depot.app()?["death"] as? String == "it did not register for 1 s")
        #expect(try await place.workerPID() != worker)
    }

    @Test(arguments: [false, true])
    func `a worker that hangs is ended and started again, and its receipt says where it was`(
        outlivesNapkind: Bool
    ) async throws {
        let (depot, front) = try await shop()
        let place = depot.place
        let worker = try await place.workerPID()
        if outlivesNapkind {
            try await killed(depot.daemon)
            try await place.daemon()
            #expect(try await place.workerPID() == worker)
        }
        let logs = try place.client(["logs", "till", "--follow"])
        let start = ContinuousClock.now
        try await hang(front)
        print("ended and started again after \(ContinuousClock.now - start)")
        let (_, line) = try await logs.line { $0.contains("worker died") }
        #expect(line.contains(Self.reason), "\(line)")
        let app = try #require(try await depot.app())
        #expect(app["death"] as? String == Self.reason && app["crashes"] as? Int == 1, "\(app)")
        #expect(app["pid"] as? Int != Int(worker))
        #expect(try await front.call(Depot.till, "ring()").isOK)
        let (status, lines, errors) = try await place.run(["crash", "show", "till", "1", "--all"])
        #expect(status == 0, "\(errors)")
        #expect(lines.contains { $0.contains("starts.till hold(milliseconds: ") }, "\(lines)")
        // Functions that call none may have no frame; the one that started the handler has.
        #expect(lines.contains { $0.contains("NodeCall.launch(_:)") }, "\(lines)")
    }

    @Test func `a worker that is stopped while it starts has its time when it goes on`()
        async throws
    {
        let depot = try await Depot()
        // It stops itself before it is a worker.
        let script = #"kill -STOP $$; exec $0 \"$@\""#
        let program = try Product.path("StartWorker")
        try depot.install(
            #"{"id": "till", "worker": {"program": "/bin/sh", "arguments": ["-c", "\#(script)", "#
                + #""\#(program)"]}}"#)
        try await depot.says("app found")
        // Refused after 10 s; a program that runs would have been given up after 8.
        let (status, _, errors) = try await depot.ring()
        #expect(status == 69, "\(errors)")
        let app = try #require(try await depot.app())
        #expect(app["state"] as? String == "starting", "\(app)")
        let worker = try await depot.place.workerPID()
        kill(worker, SIGCONT)
        let rung = try await depot.ring()
        #expect(rung.0 == 0, "\(rung)")
        #expect(try await depot.place.workerPID() == worker)
        #expect(try await depot.app()?["crashes"] as? Int == 0)
    }

    @Test(.enabled(if: getuid() == 0, "only root can trace what is not its child"))
    func `a worker that a debugger holds is left alone`() async throws {
        let (depot, front) = try await shop()
        let place = depot.place
        let worker = try await place.workerPID()
        let tracer = try Child(
            "/usr/bin/strace", ["-e", "trace=none", "-o", "/dev/null", "-p", "\(worker)"])
        try await tracer.errors { $0.contains("attached") }
        // Longer than the time between two pings, and the patience.
        try await front.call(Depot.till, "hold(milliseconds:)", "[2600]")
        #expect(!front.wasDisconnected)
        #expect(try await place.workerPID() == worker)
        tracer.signal(SIGINT)
        _ = await tracer.exit()
    }

    @Test func `a handler that holds up the loop is named, one in a second`() async throws {
        let (depot, front) = try await shop(hang: 10)
        let logs = try depot.place.client(["logs", "till", "--follow"])
        try await front.call(Depot.till, "ring()")
        for milliseconds in [150, 110, 110, 1000] {
            try await front.call(Depot.till, "hold(milliseconds:)", "[\(milliseconds)]")
        }
        let (index, first) = try await logs.line { $0.contains("handlerSlow") }
        for word in [#""starts.till""#, #""hold(milliseconds:)""#, " seconds, others: 0"] {
            #expect(first.contains(word), "\(word) is not in \(first)")
        }
        let (_, second) = try await logs.line(from: index + 1) { $0.contains("handlerSlow") }
        #expect(second.contains("others: 2"), "\(second)")
    }
}
