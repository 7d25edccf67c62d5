// ProcessMemory: how much memory this process has, as the kernel counts it.
//
// Layer      worker.
// Isolation  none of its own.
// Spec       proc_pid_statm(5)

import Glibc

/// The memory of this process.
enum ProcessMemory {
    /// Resident bytes, including shared libraries; `nil` if the kernel does not report them.
    static var residentBytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        // `size resident shared text lib data dt`, in pages.
        let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
            return nil
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
