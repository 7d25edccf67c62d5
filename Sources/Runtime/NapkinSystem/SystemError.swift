// SystemError: converts a system call's error to a `TransportError`.
//
// Isolation  none of its own; read directly after the call, on its thread.
// Source     errno(3)

import Glibc
import NapkinTransport

extension TransportError {
    /// Returns the error of the system call that has just failed.
    static func system(_ operation: String, _ path: String) -> TransportError {
        let number = errno
        let names = [
            ENOENT: "ENOENT", ENOTDIR: "ENOTDIR", EACCES: "EACCES", EMFILE: "EMFILE",
            ENOSPC: "ENOSPC", ENAMETOOLONG: "ENAMETOOLONG", ELOOP: "ELOOP", EIO: "EIO",
        ]
        return TransportError(
            code: names[number] ?? "\(number)", operation: operation, subject: path,
            message: String(cString: strerror(number)))
    }
}
