// ProcessStatus: what the kernel says of a process that need not be ours.
//
// Layer      daemon.
// Isolation  value.
// Source     proc_pid_status(5)

import Glibc

/// The state of a process.
struct ProcessStatus {
    /// Whether it has ended, and its parent has yet to learn of it.
    private(set) var isZombie = false
    /// Whether somebody has stopped it, or debugs it: then its silence is meant.
    private(set) var isHeld = false

    /// Returns `nil` if there is no such process.
    init?(of pid: Int32) {
        let descriptor = open("/proc/\(pid)/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Bytes. Chosen: both lines are among the first ten, each of which is short.
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "State:" where words.count > 1:
                isZombie = words[1] == "Z"
                isHeld = isHeld || ["T", "t"].contains(words[1])
            case "TracerPid:": isHeld = isHeld || words.last != "0"
            default: break
            }
        }
    }
}
