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
        for path in removed[what] ?? [] { try FileManager.default.removeItem(atPath: path) }
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

    @Test func `a removed lock keeps a second napkind out before it is there again`() async throws {
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        // It cannot look after its files now.
        daemon.signal(SIGSTOP)
        try FileManager.default.removeItem(atPath: place.socket)
        try FileManager.default.removeItem(atPath: place.state)
        try await place.refuses(
            ["--socket", place.socket, "--state-dir", place.state], 69,
            saying: ["another napkind uses the state directory"])
        daemon.signal(SIGCONT)
        try await logs(daemon, [("socket restored", 1), ("lock restored", 1)])
        #expect(try await place.run(["ping"]).status == 0)
        #expect(!front.wasDisconnected)
    }

    @Test func `a worker without napkind and without files is found by the next napkind`()
        async throws
    {
        let (first, front, worker) = try await place.loggedIn()
        try await killed(first)
        try FileManager.default.removeItem(atPath: place.directory)
        try await place.daemon()
        let other = try await place.front()
        try await other.mounts(Feature.loggedIn)
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
    }

    @Test func `a worker that dies without its socket's file is started with another`()
        async throws
    {
        let (_, front, worker) = try await place.loggedIn()
        kill(worker, SIGSTOP)
        try FileManager.default.removeItem(atPath: place.directory + "/rib-house.sock")
        kill(worker, SIGKILL)
        try await front.reads { $0.type == "resumed" }
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(try await place.workerPID() != worker)
    }

    @Test func `a socket that another process has put in its place is left alone, until it ends`()
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
    }
}
