// ProcessFigures: a process's age and resource use, as the kernel counts them.
//
// Source     proc_pid_stat(5)

import Glibc
import NapkinTransport

/// The age and resource use of one of this user's processes.
package struct ProcessFigures {
    /// Seconds since its start.
    package let seconds: Int
    /// Resident bytes, including shared libraries.
    package let bytes: Int
    /// Processor time in milliseconds, without its child processes.
    package let processorMilliseconds: UInt64

    /// Returns `nil` if there is no such process, or if the kernel does not show it.
    package init?(of pid: Int32) {
        // The name may contain anything: fields are counted from its end, where the third begins.
        guard let text = ProcessStatus.file("stat", of: pid), let name = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[name...].dropFirst().split(separator: " ")
        func field(_ number: Int) -> Int? {
            number - 3 < fields.count ? Int(fields[number - 3]) : nil
        }
        var now = timespec()
        guard let user = field(14), let system = field(15), let start = field(22),
            let pages = field(24), clock_gettime(CLOCK_BOOTTIME, &now) == 0
        else { return nil }
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        seconds = max(0, now.tv_sec - start / ticks)
        processorMilliseconds = UInt64(max(0, user + system)) * 1000 / UInt64(ticks)
        bytes = pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
