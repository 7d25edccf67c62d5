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
        _ place: Workplace, _ tell: (_ worker: Int32) -> Void
    ) async throws -> (front: ControlFront, worker: Int32) {
        let front = try await place.front()
        try await front.mounts(Question.desk)
        let worker = try await place.workerPID()
        let waiting = try front.send(Question.desk, "didTapWait()")
        try await front.shows { $0.value(Question.desk, "present(waiting:)") == "1" }
        tell(worker)
        try front.send(Question.desk, "didTapRelease()")
        #expect(try await front.reply(to: waiting).isOK)
        let line = try await front.reads { $0.type == "disconnected" }
        #expect((line.object["reason"] as? String)?.contains("shutting down") == true)
        return (front, worker)
    }

    @Test(arguments: draining)
    func `a worker drains and is replaced, then napkind: handlers finish, and fronts are told`(
        signal: Int32
    ) async throws {
        let place = Workplace.questions()
        let daemon = try await place.daemon()
        let (front, former) = try await drained(place) { kill($0, signal) }
        try await daemon.errors { $0.contains("it exited with code 0") }
        try await front.reads { $0.type == "resumed" }
        let (_, worker) = try await drained(place) { _ in daemon.signal(signal) }
        #expect(worker != former)
        #expect(await daemon.exit() == 0)
        #expect(kill(worker, 0) != 0, "the worker outlived its daemon's drain")
        #expect(!FileManager.default.fileExists(atPath: place.socket))
    }

    @Test func `a front detaches, with status 0, and no other signal does anything to the others`()
        async throws
    {
        let daemon = try await place.daemon()
        for mode in ["--control", "--plain"] {
            for signal in [SIGTERM, SIGINT, SIGHUP] { try await detaches(mode, signal) }
        }
        let front = try await place.front()
        try await front.login()
        let worker = try await place.workerPID()
        for signal in Self.idle {
            kill(worker, signal)
            kill(daemon.pid, signal)
            #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK, "\(signal)")
            _ = try RawPeer(welcomedAt: place.socket)
        }
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
    }

    private func detaches(_ mode: String, _ signal: Int32) async throws {
        let front = try place.client(["attach", "rib-house", mode])
        _ = try await front.line { !$0.isEmpty }
        front.signal(signal)
        #expect(await front.exit() == 0)
        #expect(try await place.sessions().first?.fronts.isEmpty == true)
    }
}
