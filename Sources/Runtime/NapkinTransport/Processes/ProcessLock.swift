// ProcessLock: a lock that the kernel releases when its process dies.
//
// Isolation  value; owned by one process for its life.
// Invariant  while it is held, no other process acquires it, even if its file has been removed.
// Source     flock(2), unix(7)

import Glibc

/// An exclusive `flock` on a file, and a claim on the file's path that outlives the file.
package struct ProcessLock: ~Copyable {
    private let path: String
    private let text: String
    private var descriptor: Int32
    private let claim: Int32

    /// Acquires the lock; returns `nil` if another process holds it.
    ///
    /// - Parameter text: a description of the holder for the file, for people and tools.
    ///
    /// Throws if the file cannot be opened.
    package static func acquire(
        _ path: String, saying text: String = ""
    ) throws(TransportError) -> ProcessLock? {
        guard let descriptor = try lockedFile(at: path, saying: text) else { return nil }
        let claim = ClaimedName.claim(path)
        guard claim >= 0 || livingHolder(of: path) == nil else {
            close(descriptor)
            return nil
        }
        return ProcessLock(path: path, text: text, descriptor: descriptor, claim: claim)
    }

    private init(path: String, text: String, descriptor: Int32, claim: Int32) {
        (self.path, self.text) = (path, text)
        self.descriptor = descriptor
        self.claim = claim
    }

    private static func lockedFile(
        at path: String, saying text: String
    ) throws(TransportError) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw TransportError(
                code: code == EACCES ? "EACCES" : "errno \(code)", operation: "open the lock",
                subject: path, message: String(cString: strerror(code)))
        }
        var isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if !isLocked, isLeftBehind(path) { isLocked = flock(descriptor, LOCK_EX) == 0 }
        guard isLocked else {
            close(descriptor)
            return nil
        }
        // If the file cannot be written, the description is missing, but the lock holds.
        _ = ftruncate(descriptor, 0)
        _ = write(descriptor, text, text.utf8.count)
        return descriptor
    }

    /// Returns whether the process that took the lock is dead. A child that it has just forked may
    /// hold the lock until the child executes its program, which is soon.
    private static func isLeftBehind(_ path: String) -> Bool {
        ClaimedName.holder(of: path) != nil && livingHolder(of: path) == nil
    }

    private static func livingHolder(of path: String) -> Int32? {
        ClaimedName.holder(of: path).flatMap { kill($0, 0) == 0 || errno != ESRCH ? $0 : nil }
    }

    /// Returns whether a living process holds the lock.
    package static func isHeld(_ path: String) -> Bool {
        isFileLocked(path) || ClaimedName.holder(of: path) != nil
    }

    /// Returns whether that process holds the lock. Without a claim that names the holder, any
    /// process may.
    package static func isHeld(_ path: String, by process: Int32) -> Bool {
        ClaimedName.holder(of: path).map { $0 == process } ?? isFileLocked(path)
    }

    private static func isFileLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Keeps others able to ask who holds the lock. Call it now and then.
    package func clearQuestions() {
        if claim >= 0 { ClaimedName.clear(claim) }
    }

    /// Whether the lock's file still exists.
    package var isInPlace: Bool { FileIdentity(at: path) == FileIdentity(of: descriptor) }

    /// Recreates the file; returns false if another process has locked a file that has taken its
    /// place.
    package mutating func restore() throws(TransportError) -> Bool {
        guard let fresh = try Self.lockedFile(at: path, saying: text) else {
            return false
        }
        close(descriptor)
        descriptor = fresh
        return true
    }

    deinit {
        close(descriptor)
        if claim >= 0 { close(claim) }
    }
}
