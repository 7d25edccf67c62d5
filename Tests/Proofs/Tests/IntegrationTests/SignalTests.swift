// SignalTests: what each signal does to each program; napkind(8) and napkin-client(1) say the same.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SignalTests {
    private let place = Workplace()

    private static let draining = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU]
    /// All others that a process can have sent to it and go on, but those that stop it.
    private static let idle =
        [SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT]
        + [SIGXFSZ, SIGCHLD, SIGCONT, SIGURG, SIGWINCH, 34, 50, 64]

    /// Has a process drained while a handler waits, which then ends; the front has been told.
    private func drained(
        _ place: Workplace, _ tell: (_ daemon: Child, _ worker: Int32) -> Void
    ) async throws -> (daemon: Child, front: ControlFront, worker: Int32) {
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Question.desk)
        let worker = try await place.workerPID()
        let waiting = try front.send(Question.desk, "didTapWait()")
        try await front.shows { $0.value(Question.desk, "present(waiting:)") == "1" }
        tell(daemon, worker)
        try front.send(Question.desk, "didTapRelease()")
        #expect(try await front.reply(to: waiting).isOK)
        let line = try await front.reads { $0.type == "disconnected" }
        #expect((line.object["reason"] as? String)?.contains("shutting down") == true)
        return (daemon, front, worker)
    }

    @Test(arguments: draining)
    func `napkind drains: handlers finish, fronts are told, and all end with status 0`(
        signal: Int32
    ) async throws {
        let place = Workplace.questions()
        let (daemon, _, worker) = try await drained(place) { daemon, _ in daemon.signal(signal) }
        #expect(await daemon.exit() == 0)
        #expect(kill(worker, 0) != 0, "the worker outlived its daemon's drain")
        #expect(!FileManager.default.fileExists(atPath: place.socket))
    }

    @Test(arguments: draining)
    func `a worker drains, and another takes its place`(signal: Int32) async throws {
        let place = Workplace.questions()
        let (daemon, front, worker) = try await drained(place) { _, worker in
            kill(worker, signal)
        }
        try await daemon.errors { $0.contains("it exited with code 0") }
        try await front.reads { $0.type == "resumed" }
        #expect(try await place.workerPID() != worker)
    }

    @Test func `no other signal does anything to napkind or to a worker`() async throws {
        let (daemon, front, worker) = try await place.loggedIn()
        for signal in Self.idle {
            kill(worker, signal)
            kill(daemon.pid, signal)
            #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK, "\(signal)")
            _ = try RawPeer(welcomedAt: place.socket)
        }
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
    }

    @Test(arguments: ["--control", "--plain"], [SIGTERM, SIGINT, SIGHUP])
    func `a front detaches, with status 0`(mode: String, signal: Int32) async throws {
        try await place.daemon()
        let front = try place.client(["attach", "rib-house", mode])
        _ = try await front.line { !$0.isEmpty }
        front.signal(signal)
        #expect(await front.exit() == 0)
        #expect(try await place.sessions().first?.fronts.isEmpty == true)
    }
}
