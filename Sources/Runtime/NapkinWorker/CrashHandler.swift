// CrashHandler: notes where a worker dies, and closes its sockets.
//
// Isolation  main thread: installed before others exist; the handler runs on the crashing thread.
// Invariant  the handler allocates nothing. It writes to the page, reads its own stack through the
//            kernel and a value of its task, and calls open(2), read(2), fstat(2), close(2),
//            signal(2), raise(3) and the runtime's handler; the lock is kept, so that no second
//            worker runs beside the dying one.
// Source     sigaction(2), sigaltstack(2), signal-safety(7)
//
// The Swift runtime's handler, if a person has switched it on, starts a program that inspects the
// dying process; until that has ended, the process keeps its descriptors open. Its fronts would
// wait for that, so their connections are closed first.

import Glibc
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// The first steps of this process when it crashes.
enum CrashHandler {
    /// The signals of a crash; napkind sends SIGABRT, as of abort(3), to a worker that hangs.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    /// The highest descriptor that is closed. Chosen: closing takes some milliseconds.
    private static let descriptorMax: Int32 = 65_536
    /// The size of the stack on which the handler runs, since the loop thread's own may be full.
    /// Chosen: many times what the handler needs.
    private static let stackBytes = 64 * 1024

    // SAFETY: written once, by `install`, before there is a handler that reads it.
    /// The runtime's handlers, by signal number.
    nonisolated(unsafe) private static var former: UnsafeMutablePointer<sigaction>?

    /// Installs itself in front of the runtime's handlers, if it has any.
    static func install() {
        let count = 1 + Int(signals.max() ?? 0)
        let table = UnsafeMutablePointer<sigaction>.allocate(capacity: count)
        table.initialize(repeating: Glibc.sigaction(), count: count)
        former = table
        var stack = stack_t()
        stack.ss_sp = .allocate(byteCount: stackBytes, alignment: 16)
        stack.ss_size = stackBytes
        sigaltstack(&stack, nil)
        for number in signals {
            let known = table + Int(number)
            guard sigaction(number, nil, known) == 0 else { continue }
            var own = Glibc.sigaction()
            own.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
            own.__sigaction_handler.sa_sigaction = { number, info, context in
                // Another thread, or this one in its handler, may die because of the first death.
                if CrashedThread.isFirst() { FlightRecorder.dies(by: number, info, context) }
                CrashHandler.closeSockets()
                let known = CrashHandler.former.map { $0 + Int(number) }
                if let known, known.pointee.sa_flags & SA_SIGINFO != 0 {
                    known.pointee.__sigaction_handler.sa_sigaction?(number, info, context)
                    // The runtime returns to the instruction that crashed. There is none if another
                    // process sent the signal.
                    guard let info, info.pointee.si_code <= 0 else { return }
                }
                signal(number, SIG_DFL)
                raise(number)
            }
            sigaction(number, &own, nil)
        }
    }

    private static func closeSockets() {
        var status = stat()
        for descriptor in STDERR_FILENO + 1..<descriptorMax
        where fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK {
            close(descriptor)
        }
    }
}
