// DoctorTests: what `doctor` says of places, and of a napkind that is stopped.

import Foundation
import ProcessSupport
import Testing

extension StatusTests {
    @Test func `a log that has no directory is a problem`() async throws {
        let place = shop()
        defer { place.cleanUp() }
        #expect(mkdir(place.state, 0o700) == 0)
        let log = place.state + "/log"
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        try await place.daemon()
        try await finds(place, "problem", in: log, "not a directory")
    }

    @Test func `a directory that cannot be created is a problem before it is needed`()
        async throws
    {
        let place = shop()
        defer { place.cleanUp() }
        try await place.daemon()
        let above = place.directory + "/data"
        #expect(mkdir(above, 0o777) == 0 && chmod(above, 0o777) == 0)
        try await finds(place, "problem", in: above + "/napkin/apps", "cannot be created")
    }

    @Test func `a napkind that is stopped is to go on, and no other one is started`()
        async throws
    {
        let place = shop()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let (status, lines, _) = try await place.run(["doctor"])
        #expect(status == 69, "\(lines)")
        #expect(lines.contains { $0.contains("kill -CONT \(daemon.pid)") }, "\(lines)")
        #expect(lines.contains { $0.contains("has to answer or to end") }, "\(lines)")
        #expect(!lines.contains { $0.contains("start it there") || $0.contains("starts one") })
    }
}
