// DoctorTests: what `doctor` says of places, and of a napkind that is stopped.

import Foundation
import ProofSupport
import Testing

extension StatusTests {
    @Test func `a log that has no directory is a problem, and workers print where napkind does`()
        async throws
    {
        #expect(mkdir(place.state, 0o700) == 0)
        let log = place.state + "/log"
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        let daemon = try await place.daemon()
        try await finds(place, "problem", in: log, "not a directory")
        try await daemon.errors {
            $0.contains("the worker's output goes here") && $0.contains("till opened")
        }
        try await place.fails(["logs", "till"], 66, saying: ["till prints where napkind does"])
    }

    @Test func `a directory that cannot be created is a problem before it is needed`()
        async throws
    {
        let above = place.directory + "/data"
        #expect(mkdir(above, 0o777) == 0 && chmod(above, 0o777) == 0)
        try await place.daemon()
        try await finds(place, "problem", in: above + "/napkin/apps", "cannot be created")
    }

    @Test
    func `a socket without a listener, a directory open to others and a stopped napkind are found`()
        async throws
    {
        let daemon = try await place.daemon()
        let path = place.directory + "/left.sock"
        close(try RawPeer.listen(at: path))
        try await finds(place, "note", in: path, "nobody listens there")
        unlink(path)
        // Others may enter this one. The worker has its lock, and needs the directory no more.
        let front = try await place.front(["--session", "main"])
        #expect(chmod(place.state, 0o755) == 0)
        try await finds(place, "problem", in: place.state, "its mode is 755")
        try await finds(place, "problem", in: place.state, "--state-dir DIR")
        withExtendedLifetime(front) {}
        #expect(chmod(place.state, 0o700) == 0)
        try await isToGoOn(daemon)
    }

    /// Sessions that a new worker does not find are a problem, until a restart.
    private func doesNotFindItsSessions(_ place: TallyPlace) async throws {
        let worker = try await place.place.workerPID()
        // Otherwise it would write them again.
        kill(worker, SIGSTOP)
        for end in ["", "-wal", "-shm"] { unlink("\(place.ledger)/tally.ledger\(end)") }
        kill(worker, SIGKILL)
        #expect(try await place.add(1, to: "b") == 1)
        let problems = try await found(place.place, status: 1).filter { $0.verdict == "problem" }
        #expect(problems.map(\.subject) == ["tally"])
        #expect(problems.first?.finding.hasSuffix("without them: a") == true, "\(problems)")
        let apps = try await place.place.run(["apps"]).lines.joined()
        #expect(apps.contains("without them: a"), "\(apps)")
        #expect(try await place.place.run(["restart", "tally"]).status == 0)
        #expect(try await found(place.place, status: 0).allSatisfy { $0.verdict == "note" })
        #expect(try await place.sum("b") == 1)
    }

    @Test func `a journal whose files were removed is a problem until seen, or until a restart`()
        async throws
    {
        let place = try await TallyPlace()
        #expect(try await place.add(1, to: "a") == 1)
        let mark = "\(place.ledger)/tally.ledger.rewritten"
        for end in ["", "-wal"] { unlink("\(place.ledger)/tally.ledger\(end)") }
        // The worker looks once a second.
        while access(mark, F_OK) != 0 { _ = try await place.sum("a") }
        try await finds(place.place, "problem", in: mark, "were removed while its worker ran")
        #expect(try await place.add(1, to: "a") == 2)
        unlink(mark)
        #expect(try await found(place.place, status: 0).isEmpty)
        try await doesNotFindItsSessions(place)
    }

    /// A napkind that is stopped is to go on, and no other one is started.
    private func isToGoOn(_ daemon: Child) async throws {
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let (status, lines, _) = try await place.run(["doctor"])
        #expect(status == 69, "\(lines)")
        #expect(lines.contains { $0.contains("kill -CONT \(daemon.pid)") }, "\(lines)")
        #expect(lines.contains { $0.contains("has to answer or to end") }, "\(lines)")
        #expect(!lines.contains { $0.contains("start it there") || $0.contains("starts one") })
        try await place.fails(
            ["ls"], 69,
            saying: ["(process \(daemon.pid)) has not answered", "kill -CONT \(daemon.pid)"])
    }
}
