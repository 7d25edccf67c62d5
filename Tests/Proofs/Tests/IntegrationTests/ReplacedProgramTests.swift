// ReplacedProgramTests: programs are replaced while they run; which one runs when.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReplacedProgramTests {
    /// The file that a process runs: its inode, also when the file has no name any more.
    private func program(of pid: Int32) throws -> UInt64 { try inode("/proc/\(pid)/exe") }

    private func inode(_ path: String) throws -> UInt64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure("\(path): errno \(errno)") }
        return UInt64(status.st_ino)
    }

    private func newWorker(_ front: ControlFront, of place: Workplace) async throws -> Int32 {
        kill(try await place.workerPID(), SIGKILL)
        try await front.reads { $0.type == "resumed" }
        return try await place.workerPID()
    }

    @Test func `a worker's new program runs from its next start, and napkind's as well`()
        async throws
    {
        let directory = TemporaryDirectory()
        let path = directory("rib-house-worker")
        try Product.copy("rib-house-worker", to: path)
        let place = Workplace(apps: [InstalledApp("rib-house", worker: path)])
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let old = try inode(path)
        let front = try await place.front()
        try await front.login()
        // What runs cannot be written: an installation replaces it.
        #expect(open(path, O_WRONLY | O_CLOEXEC) < 0 && errno == ETXTBSY)
        try Product.copy("rib-house-worker", to: path + ".new")
        #expect(rename(path + ".new", path) == 0)
        let new = try inode(path)
        #expect(new != old)
        // napkind alone is started again, as another program: its worker goes on.
        let worker = try await place.workerPID()
        try Product.copy("napkind", to: directory("napkind"))
        try await killed(first)
        let second = try await place.daemon(program: directory("napkind"))
        #expect(try await place.workerPID() == worker)
        #expect(try program(of: second.pid) == inode(directory("napkind")))
        #expect(try program(of: worker) == old)
        // The next worker is new.
        #expect(try program(of: try await newWorker(front, of: place)) == new)
    }
}
