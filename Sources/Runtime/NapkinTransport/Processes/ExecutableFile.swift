// ExecutableFile: whether a file can be started as a program.
//
// Layer      transport, watchers. Plain system calls.

internal import Glibc

/// A program's file.
package enum ExecutableFile {
    /// Returns why the program cannot be started; `nil` if it can.
    package static func objection(to path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "its program \(path) cannot be started: \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            return "its program \(path) is not an executable file"
        }
        return nil
    }
}
