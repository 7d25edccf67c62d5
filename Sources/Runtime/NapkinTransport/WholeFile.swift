// WholeFile: a file that has all of its new bytes, or is as it was before.
//
// Source     rename(2), fsync(2)

package import Glibc

package enum WholeFile {
    /// Replaces a file. Returns false, with the reason in `errno`, if that is not possible: then
    /// nothing has changed.
    ///
    /// - Parameters:
    ///   - isSynced: whether the file survives a power cut; the caller then waits for the disk, 20
    ///     ms in a bad moment. If it is false, the file may be empty after a power cut.
    ///   - mode: who can read the file; by default only the user.
    package static func write(
        _ bytes: [UInt8], to path: String, isSynced: Bool = true, mode: mode_t = 0o600
    ) -> Bool {
        let temporary = "\(path).\(getpid()).partial"
        let file = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { return false }
        let isWhole =
            Glibc.write(file, bytes, bytes.count) == bytes.count
            && (!isSynced || fsync(file) == 0)
        close(file)
        if isWhole, rename(temporary, path) == 0 {
            if isSynced { syncDirectory(of: path) }
            return true
        }
        let reason = errno
        unlink(temporary)
        errno = reason
        return false
    }

    /// Syncs the directory of a file. A file system that refuses this keeps names anyway.
    package static func syncDirectory(of path: String) {
        _ = sync(directory(of: path))
    }

    /// Returns the directory that has the name of a file, as dirname(1) does.
    package static func directory(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Makes a file's bytes survive, and its size and times, which fdatasync(2) may leave out; or a
    /// directory's names. Returns false, with the reason in `errno`, if that is not possible.
    package static func sync(_ path: String, _ flags: Int32 = 0) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fsync(file) == 0
    }
}
