// ReplacedProgramTests: napkind's program is replaced while it runs; which one runs when.

import Foundation
import ProcessSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
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

    @Test func `workers run napkind's own program, and napkind the new one when it is started`()
        async throws
    {
        let place = Workplace()
        defer { place.cleanUp() }
        let path = place.directory + "/napkind"
        try Product.copy("napkind", to: path)
        let first = try await place.daemon(program: path)
        let old = try inode(path)
        let front = try await place.front()
        try await front.login()
        // What runs cannot be written: an installation replaces it.
        #expect(open(path, O_WRONLY | O_CLOEXEC) < 0 && errno == ETXTBSY)
        try Product.copy("napkind", to: path + ".new")
        #expect(rename(path + ".new", path) == 0)
        let new = try inode(path)
        #expect(new != old)
        // A worker that is killed comes back as what napkind is.
        let worker = try await newWorker(front, of: place)
        #expect(try program(of: worker) == old && program(of: first.pid) == old)
        // napkind alone is started again: its worker goes on, and the next one is new.
        try await killed(first)
        let second = try await place.daemon(program: path)
        #expect(try await place.workerPID() == worker)
        #expect(try (program(of: second.pid), program(of: worker)) == (new, old))
        #expect(try program(of: try await newWorker(front, of: place)) == new)
        // A drain ends all of it.
        second.signal(SIGTERM)
        #expect(await second.exit() == 0)
        try await place.daemon(program: path)
        try await front.reads { $0.type == "resumed" }
        #expect(try program(of: try await place.workerPID()) == new)
    }
}
