// WholeFile: a file that is there with all of its bytes, or as it was before.
//
// Source     rename(2), fsync(2)

import Glibc

package enum WholeFile {
    /// Writes a file that only the user can read, in place of the former one. Returns false, with
    /// the reason in `errno`, if that is not possible: then nothing has changed.
    ///
    /// - Parameter isSynced: whether it survives that the machine loses its power, for which the
    ///   caller waits, 20 ms in a bad moment. Otherwise it may be empty then.
    package static func write(
        _ bytes: [UInt8], to path: String, isSynced: Bool = true
    ) -> Bool {
        let temporary = path + ".partial"
        let file = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let isWhole =
            Glibc.write(file, bytes, bytes.count) == bytes.count
            && (!isSynced || fsync(file) == 0)
        close(file)
        if isWhole, rename(temporary, path) == 0 { return true }
        let reason = errno
        unlink(temporary)
        errno = reason
        return false
    }
}
