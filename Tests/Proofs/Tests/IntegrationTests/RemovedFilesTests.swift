// RemovedFilesTests: sockets and locks that somebody removes come back, and protect meanwhile.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RemovedFilesTests {
    private let place = Workplace()

    private func count(_ part: String, in text: String) -> Int {
        text.components(separatedBy: part).count - 1
    }

    /// Returns when the worker's lock and socket are in place.
    private func restored(_ worker: Int32) async throws {
        let lock = place.state + "/rib-house.lock"
        let socket = place.directory + "/rib-house.sock"
        // A file that is not there has no holders.
        while (try? Vitals.holders(of: lock).contains(worker)) != true
            || !FileManager.default.fileExists(atPath: socket)
        {
            _ = try await place.run(["ping", "--no-spawn"])
        }
    }

    /// Returns when the daemon has written this in its log, so often.
    private func logs(_ daemon: Child, _ parts: [(String, Int)]) async throws {
        try await daemon.errors { text in
            parts.allSatisfy { part, times in
                text.components(separatedBy: part).count - 1 >= times
            }
        }
    }

    @Test(arguments: ["sockets", "state", "all"])
    func `what is removed is there again within a second, and nobody is disturbed`(
        what: String
    ) async throws {
        let (daemon, front, worker) = try await place.loggedIn()
        let sockets = [place.socket, place.directory + "/rib-house.sock"]
        let removed = ["sockets": sockets, "state": [place.state], "all": [place.directory]]
        let start = ContinuousClock.now
        // What is restored while a directory is being emptied would keep it.
        for pid in [daemon.pid, worker] { kill(pid, SIGSTOP) }
        for path in removed[what] ?? [] { try FileManager.default.removeItem(atPath: path) }
        for pid in [daemon.pid, worker] { kill(pid, SIGCONT) }
        let restored =
            (what == "state" ? [] : ["socket restored"])
            + (what == "sockets" ? [] : ["lock restored"])
        // Each of the two processes restores its own.
        try await logs(daemon, restored.map { ($0, 1) })
        try await self.restored(worker)
        print("\(what) restored after \(start.duration(to: .now))")
        let other = try await place.front()
        try await other.mounts(Feature.loggedIn)
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
        try await place.refuses(
            ["--socket", place.directory + "/m.sock", "--state-dir", place.state], 69,
            saying: ["another napkind uses the state directory"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        for path in sockets { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    /// A removed lock keeps a second napkind out before it is there again.
    private func keepsOthersOut(_ daemon: Child, _ front: ControlFront) async throws {
        let lost = losses(of: front)
        // It cannot look after its files now.
        daemon.signal(SIGSTOP)
        try FileManager.default.removeItem(atPath: place.socket)
        try FileManager.default.removeItem(atPath: place.state)
        try await place.refuses(
            ["--socket", place.socket, "--state-dir", place.state], 69,
            saying: ["another napkind uses the state directory"])
        daemon.signal(SIGCONT)
        try await logs(daemon, [("socket restored", 2), ("lock restored", 1)])
        #expect(try await place.run(["ping"]).status == 0)
        #expect(losses(of: front) == lost)
    }

    private func losses(of front: ControlFront) -> Int {
        front.seen.count { $0.type == "disconnected" }
    }

    /// A worker without napkind and without files is found by the next napkind.
    private func findsTheWorker(_ first: Child, _ front: ControlFront) async throws {
        let worker = try await place.workerPID()
        let lost = losses(of: front)
        try await killed(first)
        kill(worker, SIGSTOP)
        try FileManager.default.removeItem(atPath: place.directory)
        kill(worker, SIGCONT)
        try await place.daemon()
        let other = try await place.front()
        try await other.mounts(Feature.loggedIn)
        #expect(try await place.workerPID() == worker)
        #expect(losses(of: front) == lost)
    }

    /// A worker that dies without its socket's file is started with another.
    private func startsAnother(_ front: ControlFront) async throws {
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        try FileManager.default.removeItem(atPath: place.directory + "/rib-house.sock")
        kill(worker, SIGKILL)
        try await front.reads { $0.type == "resumed" }
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(try await place.workerPID() != worker)
    }

    @Test
    func `what others put in a socket's place is left alone, and removed files protect meanwhile`()
        async throws
    {
        let daemon = try await place.daemon()
        try FileManager.default.removeItem(atPath: place.socket)
        let other = Watched<RawListener?>(nil)
        func listen() throws {
            // Held nowhere else, so that it ends when it is told to.
            let listener = try RawListener(place.socket) { _ = try $0.readToEnd() }
            other.change { $0 = listener }
        }
        try listen()
        try await logs(daemon, [("a removed file is not restored", 1)])
        other.change { $0 = nil }
        try await logs(daemon, [("socket restored", 1)])
        #expect(try await place.run(["ping"]).status == 0)
        #expect(count("a removed file is not restored", in: daemon.errorText) == 1)
        let front = try await place.front()
        try await front.login()
        try await startsAnother(front)
        // From here on, what was stored is gone until the worker has written it again.
        try await keepsOthersOut(daemon, front)
        try await findsTheWorker(daemon, front)
    }
}
