// LogFile: the file that has what an app's workers print, and the older ones beside it.
//
// Layer      daemon.
// Isolation  value.
// Invariant  the files belong to the user alone: mode 0600, in a directory with mode 0700.
// Source     open(2): O_APPEND puts each write at the end, whoever else writes there.

import Glibc
import Logging
import NapkinTransport

/// `APP.log` in `log` of the state directory; `APP.log.1` and `APP.log.2` are older.
package struct LogFile: Sendable {
    /// Bytes after which a file gets its next name. Chosen: some ten thousand lines.
    package static let bytesMax = 1_048_576
    /// The number of files. Chosen: what was said before a crash is still there after a day.
    static let filesMax = 3

    private let stateDirectory: String
    private let directory: SocketDirectory
    package let path: String

    package init(of app: String, in stateDirectory: String) {
        self.stateDirectory = stateDirectory
        directory = SocketDirectory(path: stateDirectory + "/log", policy: .state)
        path = "\(directory.path)/\(app).log"
    }

    /// Opens the newest file for appending, and creates it if necessary.
    package func open() throws(StartError) -> Int32 {
        do throws(TransportError) {
            try directory.ensure()
        } catch {
            throw StartError(error)
        }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw StartError(EX_CANTCREAT, "\(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    /// Whether the directory is there in which the log's directory is, or would be.
    package var hasHome: Bool { access(stateDirectory, F_OK) == 0 }

    /// Gives each file the next name if the newest, which is open, is too large.
    ///
    /// Returns whether it was: what is open has another name then.
    package func rotateIfLarge(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > Self.bytesMax,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        defer { flock(descriptor, LOCK_UN) }
        // Another process may have renamed it meanwhile.
        if FileIdentity(of: descriptor) == FileIdentity(at: path) { rotate() }
        return true
    }

    /// Gives each file the next name; the oldest goes. Nobody else may do so meanwhile.
    private func rotate() {
        for number in (1..<Self.filesMax).reversed() {
            // A file that is not there yet has no next name.
            rename(number == 1 ? path : "\(path).\(number - 1)", "\(path).\(number)")
        }
    }

    /// Returns the lines at the end of the newest file, the first of which may be cut off.
    func end(bytesMax: Int) -> [Substring] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = pread(descriptor, &bytes, bytesMax, max(0, status.st_size - bytesMax))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    }
}

/// Writes log lines, whose metadata contains texts of others.
struct LogStream: TextOutputStream, Sendable {
    var stream = StandardStream.error

    func write(_ line: String) {
        // If nobody can read it, there is nobody left to tell. The handler ends its line; any other
        // line break comes from elsewhere.
        try? stream.write(PrintableText(line: String(line.dropLast())))
    }
}
