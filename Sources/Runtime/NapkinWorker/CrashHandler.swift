// CrashHandler: closes a dying worker's sockets before its backtrace is printed.
//
// Isolation  main thread: installed before others exist; the handler runs on the crashing thread.
// Invariant  the handler allocates nothing and calls fstat(2), close(2), signal(2), raise(3) and
//            the runtime's handler only; the lock is kept, so that no second worker runs beside
//            the dying one.
// Source     sigaction(2), signal-safety(7)
//
// The Swift runtime's handler starts a program that inspects the dying process, which keeps its
// descriptors open until then. Its fronts would wait for that; so their connections close first.

import Glibc

/// The first steps of this process when it crashes.
enum CrashHandler {
    /// The signals that the runtime handles, except SIGQUIT, which ends a worker in good order.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    /// The highest descriptor that is closed. Chosen: closing takes some milliseconds.
    private static let descriptorMax: Int32 = 65_536

    // SAFETY: written once, by `install`, before there is a handler that reads it.
    /// The runtime's handlers, by signal number.
    nonisolated(unsafe) private static var former: UnsafeMutablePointer<sigaction>?

    /// Installs itself in front of each of the runtime's handlers. If the runtime has none, the
    /// kernel ends the process at once.
    static func install() {
        let count = 1 + Int(signals.max() ?? 0)
        let table = UnsafeMutablePointer<sigaction>.allocate(capacity: count)
        table.initialize(repeating: Glibc.sigaction(), count: count)
        former = table
        for number in signals {
            let known = table + Int(number)
            guard sigaction(number, nil, known) == 0, known.pointee.sa_flags & SA_SIGINFO != 0
            else { continue }
            var own = known.pointee
            own.__sigaction_handler.sa_sigaction = { number, info, context in
                var status = stat()
                for descriptor in STDERR_FILENO + 1..<CrashHandler.descriptorMax
                where fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK {
                    close(descriptor)
                }
                let known = CrashHandler.former.map { $0 + Int(number) }
                known?.pointee.__sigaction_handler.sa_sigaction?(number, info, context)
                // The runtime returns to the instruction that crashed. There is none if another
                // process sent the signal.
                guard let info, info.pointee.si_code <= 0 else { return }
                signal(number, SIG_DFL)
                raise(number)
            }
            sigaction(number, &own, nil)
        }
    }
}
