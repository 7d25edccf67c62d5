// ProcessStatus: the kernel's account of a process, ours or not, and the machine's boot id.
//
// Layer      transport, processes. Plain system calls.
// Source     proc_pid_status(5)

internal import Glibc

package struct ProcessStatus {
    /// Whether the process has ended or is ending: it has released its memory, which happens before
    /// its locks and sockets are released.
    package private(set) var isDead = true
    /// Whether somebody has stopped or is debugging it: its silence is then intended.
    package private(set) var isPaused = false
    /// Whether somebody has stopped it, and is not debugging it.
    package private(set) var isStopped = false

    /// Returns `nil` if there is no such process.
    package init?(of pid: Int32) {
        guard let text = Self.file("status", of: pid) else { return nil }
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "State:" where words.count > 1:
                isStopped = words[1] == "T"
                isPaused = isPaused || ["T", "t"].contains(words[1])
            case "VmSize:": isDead = false
            case "TracerPid:" where words.last != "0": (isPaused, isStopped) = (true, false)
            default: break
            }
        }
    }

    /// Returns the processes that the main thread of a process has started; none if the kernel does
    /// not tell. Source: proc_pid_task(5)
    package static func children(of pid: Int32) -> [Int32] {
        (file("task/\(pid)/children", of: pid) ?? "").split(separator: " ")
            .compactMap { Int32($0) }
    }

    /// Returns the path of a process's program, followed by ` (deleted)` if the file no longer
    /// exists; `nil` if the kernel does not tell.
    package static func program(of pid: Int32) -> String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(pid)/exe", &path, path.count)
        guard count > 0 else { return nil }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the first `bytesMax` bytes of the process's file in /proc; `nil` if it is empty or
    /// cannot be read. Chosen: the some sixty lines of `status` have 1,500.
    package static func file(
        _ name: String, of pid: Int32, bytesMax: Int = 4096
    ) -> String? { text("\(pid)/\(name)", bytesMax) }

    /// The kernel's boot id, of 36 bytes; empty if it does not say.
    package static var boot: String {
        text("sys/kernel/random/boot_id").map { String($0.prefix(36)) } ?? ""
    }

    private static func text(_ name: String, _ bytesMax: Int = 64) -> String? {
        let descriptor = open("/proc/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel gives a page or so at a time.
        var (bytes, count) = ([UInt8](repeating: 0, count: bytesMax), 0)
        while count < bytesMax {
            let part = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), bytesMax - count)
            }
            guard part > 0 else { break }
            count += part
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
