// DaemonProcess: a napkind of the probe's own, in a directory of its own.
//
// Layer      test executable.
// Isolation  none of its own; one thread.
// Ownership  owns the process and the directory; both are gone when it is stopped.

import CScale
import Glibc

/// Starts a daemon and ends it.
final class DaemonProcess {
    let pid: Int32
    let directory: String
    var socket: String { directory + "/n.sock" }

    /// Returns when the daemon has said that it is ready.
    init(_ program: String) throws {
        var template = Array("/tmp/nh.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Violation(description: "no directory in /tmp: errno \(errno)")
        }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        directory = String(decoding: bytes, as: UTF8.self)
        var ready: [Int32] = [-1, -1]
        guard pipe(&ready) == 0 else { throw Violation(description: "no pipe: errno \(errno)") }
        for end in ready { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ready[0]) }
        setenv("NAPKIN_SCALE", directory + "/scale", 1)
        let arguments = [
            program, "--socket", directory + "/n.sock", "--state-dir", directory + "/s",
            "--ready-fd", "1", "--log-level", "error",
        ]
        pid = try Self.start(program, arguments, output: ready[1])
        close(ready[1])
        var byte: UInt8 = 0
        guard read(ready[0], &byte, 1) == 1 else {
            throw Violation(description: "\(program) ended before it was ready")
        }
    }

    private static func start(
        _ program: String, _ arguments: [String], output: Int32
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, program, &actions, nil, words, environ)
        guard error == 0 else {
            throw Violation(description: "cannot start \(program): errno \(error)")
        }
        return pid
    }

    /// Bytes of the heap that a process of the daemon uses, napkind's or a worker's.
    func heapBytes(of process: Int32) throws -> Int {
        let bytes = napkin_scale_read(directory + "/scale", process)
        guard bytes >= 0 else { throw Violation(description: "\(process) has no scale") }
        return Int(bytes)
    }

    /// Ends the daemon in good order, and its worker with it; returns its exit status.
    func stop() -> Int32 {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        remove(directory)
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    /// The program of that name in this one's directory.
    static func neighbour(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
    }

    private func remove(_ path: String) {
        guard let entries = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(entries)
        rmdir(path)
    }
}
