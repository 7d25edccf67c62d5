// ProcessUsage: what a process uses, as the kernel counts it.
//
// Layer      daemon.
// Isolation  value.
// Source     proc_pid_stat(5)

import Glibc

/// The memory and the processor time of a process.
struct ProcessUsage {
    /// Resident bytes, including shared libraries, as `ls` lists them.
    let memoryBytes: Int
    /// Processor time in milliseconds, without that of other processes that it has started.
    let processorMilliseconds: UInt64

    /// Returns `nil` if there is no such process.
    init?(of pid: Int32) {
        let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Bytes. Chosen: it is one line of some fifty numbers.
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = read(descriptor, &bytes, bytes.count)
        // The program's name is in parentheses, and may itself have some.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        func number(_ field: Int) -> Int? {
            // The first one here is the third of the line.
            fields.count > field - 3 ? Int(String(decoding: fields[field - 3], as: UTF8.self)) : nil
        }
        guard let user = number(14), let system = number(15), let pages = number(24) else {
            return nil
        }
        memoryBytes = max(0, pages) * sysconf(Int32(_SC_PAGESIZE))
        processorMilliseconds =
            UInt64(max(0, user + system)) * 1000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }
}
