// ProcessLock: a lock that the kernel releases when its process dies.
//
// Layer      daemon.
// Isolation  value; owned by one process for its life.
// Source     flock(2)

import Glibc

/// An exclusive `flock` on a file.
struct ProcessLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock; `nil` when another process has it.
    ///
    /// Throws when the file cannot be opened.
    static func acquire(_ path: String) throws(StartError) -> ProcessLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StartError(
                EX_CANTCREAT, "cannot open the lock \(path): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return ProcessLock(descriptor: descriptor)
    }

    /// Whether a living process holds the lock.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    deinit { close(descriptor) }
}
