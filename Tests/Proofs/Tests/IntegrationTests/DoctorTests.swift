// DoctorTests: what `doctor` says of places, and of a napkind that is stopped.

import Foundation
import ProofSupport
import Testing

extension StatusTests {
    @Test func `a log that has no directory is a problem`() async throws {
        #expect(mkdir(place.state, 0o700) == 0)
        let log = place.state + "/log"
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        try await place.daemon()
        try await finds(place, "problem", in: log, "not a directory")
    }

    @Test func `a directory that cannot be created is a problem before it is needed`()
        async throws
    {
        try await place.daemon()
        let above = place.directory + "/data"
        #expect(mkdir(above, 0o777) == 0 && chmod(above, 0o777) == 0)
        try await finds(place, "problem", in: above + "/napkin/apps", "cannot be created")
    }

    @Test func `a socket without a listener and a directory open to others are found`()
        async throws
    {
        try await place.daemon()
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
    }

    @Test func `a napkind that is stopped is to go on, and no other one is started`()
        async throws
    {
        let daemon = try await place.daemon()
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
