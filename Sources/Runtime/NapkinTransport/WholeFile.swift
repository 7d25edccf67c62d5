// WholeFile: a file that is there with all of its bytes, or as it was before.
//
// Source     rename(2), fsync(2)

package import Glibc

package enum WholeFile {
    /// Writes a file in place of the former one. Returns false, with the reason in `errno`, if that
    /// is not possible: then nothing has changed.
    ///
    /// - Parameters:
    ///   - isSynced: whether it survives that the machine loses its power, for which the caller
    ///     waits, 20 ms in a bad moment. Otherwise it may be empty then.
    ///   - mode: who can read it; if nothing is said, only the user.
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

    /// Makes the file's new name survive as well. A directory that refuses this keeps names by
    /// itself.
    private static func syncDirectory(of path: String) {
        let end = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let directory = open(String(end), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}
