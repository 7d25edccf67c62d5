// ProcessOutput: sends this process's output to its log, and keeps the log small.
//
// Ownership  its timer retains it for the life of the process; it owns descriptors 1 and 2.
// Invariant  a process that renames the log holds its lock, and has checked its name.
// Source     dup2(2): replaces the other descriptor in one step; flock(2)

// The C library's streams are variables, which nothing here assigns.
@preconcurrency import Glibc
import NapkinTransport

/// The standard output and error of a worker, or of a napkind that a client has started.
@MainActor
package final class ProcessOutput {
    /// The time between two checks of the file, of two system calls each. Chosen: output in between
    /// may exceed the limit.
    private static let interval = Duration.milliseconds(500)

    private let file: LogFile

    /// Maintains the log from now on, if this process prints there.
    package static func keep(in file: LogFile) {
        // A line must be readable once printed, and must not be lost in a crash.
        setvbuf(stdout, nil, _IOLBF, 0)
        guard let current = FileIdentity(of: STDERR_FILENO),
            current == FileIdentity(at: file.path)
        else { return }
        let output = ProcessOutput(file)
        _ = LoopTimer(every: interval) { output.check() }
    }

    private init(_ file: LogFile) { self.file = file }

    private func check() {
        // The file was removed, or renamed by another process.
        if !isInPlace || file.rotateIfLarge(STDERR_FILENO) { reopen() }
    }

    private var isInPlace: Bool {
        FileIdentity(of: STDERR_FILENO) == FileIdentity(at: file.path)
    }

    private func reopen() {
        // Until it can be opened, output goes to the former file, and opening is retried. Other
        // code restores the state directory.
        guard file.hasHome, let descriptor = try? file.open() else { return }
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(descriptor, standard) }
        close(descriptor)
    }
}
