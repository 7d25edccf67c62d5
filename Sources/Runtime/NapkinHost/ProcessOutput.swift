// ProcessOutput: keeps what this process prints in its log, and the log small.
//
// Ownership  its timer retains it for the life of the process; it owns descriptors 1 and 2.
// Invariant  whoever renames the log holds its lock, and has seen that it still has its name.
// Source     dup2(2): the other descriptor is put in place in one step; flock(2)

// The C library's streams are variables, which nothing here assigns.
@preconcurrency import Glibc
import NapkinTransport

/// The standard output and error of a worker, or of a napkind that a client has started.
@MainActor
package final class ProcessOutput {
    /// The time between two checks of the file, which are two system calls. Chosen: what is printed
    /// in between may exceed the limit.
    private static let interval = Duration.milliseconds(500)

    private let file: LogFile

    /// Looks after the log from now on, if that is where this process prints.
    package static func keep(in file: LogFile) {
        // A line is to be read when it has been printed, and not to be lost in a crash.
        setvbuf(stdout, nil, _IOLBF, 0)
        guard let current = FileIdentity(of: STDERR_FILENO),
            current == FileIdentity(at: file.path)
        else { return }
        let output = ProcessOutput(file)
        _ = LoopTimer(after: interval, repeating: interval) { output.check() }
    }

    private init(_ file: LogFile) { self.file = file }

    private func check() {
        // Somebody has removed it, or another process has renamed it.
        if !isInPlace || file.rotateIfLarge(STDERR_FILENO) { reopen() }
    }

    private var isInPlace: Bool {
        FileIdentity(of: STDERR_FILENO) == FileIdentity(at: file.path)
    }

    private func reopen() {
        // Until it can be opened, the former file has what is printed; it is tried again. The state
        // directory is for others to restore.
        guard file.hasHome, let descriptor = try? file.open() else { return }
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(descriptor, standard) }
        close(descriptor)
    }
}
