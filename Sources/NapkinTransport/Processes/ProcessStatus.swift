// ProcessStatus: what the kernel says of a process that need not be ours.
//
// Layer      transport, processes. Plain system calls.
// Isolation  value.
// Source     proc_pid_status(5)

internal import Glibc

/// The state of a process.
package struct ProcessStatus {
    /// Whether it has ended or is ending: it has no memory any more, which a process gives back
    /// before its locks and its sockets.
    package private(set) var isDead = true
    /// Whether somebody has stopped it, or debugs it: then its silence is meant.
    package private(set) var isHeld = false

    /// Returns `nil` if there is no such process.
    package init?(of pid: Int32) {
        let descriptor = open("/proc/\(pid)/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Bytes. Chosen: all lines, which are about sixty, have 1,500.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "State:" where words.count > 1:
                isHeld = isHeld || ["T", "t"].contains(words[1])
            case "VmSize:": isDead = false
            case "TracerPid:": isHeld = isHeld || words.last != "0"
            default: break
            }
        }
    }
}
