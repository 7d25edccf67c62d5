// LogFile: the file of our processes' output, and the older files beside it.
//
// Invariant  the files belong to the user alone: mode 0600, in a directory with mode 0700.
// Source     open(2): O_APPEND puts each write at the end, even with several writers.

import Glibc
import Logging
package import NapkinTransport

/// `log/APP.log` in the state directory, or `napkind.log`; `APP.log.1` and `APP.log.2` are older.
package struct LogFile: Sendable {
    /// Bytes after which a file is rotated. Chosen: some ten thousand lines.
    package static let bytesMax = 1_048_576
    /// The number of files. Chosen: the output before a crash is still there after a day.
    static let filesMax = 3
    /// Bytes after which a file is cut even while open, because its writer does not rotate it.
    /// Chosen: such a worker prints less in half a second.
    static let cutBytes = 8 * bytesMax

    private let stateDirectory: String
    private let directory: SocketDirectory
    package let path: String

    package init(of app: String, in stateDirectory: String) {
        self.init(app, in: stateDirectory + "/log", of: stateDirectory)
    }

    /// The log of a napkind that a client has started.
    package init(ofDaemonIn stateDirectory: String) {
        self.init(RequestServer.name, in: stateDirectory, of: stateDirectory)
    }

    private init(_ name: String, in path: String, of stateDirectory: String) {
        self.stateDirectory = stateDirectory
        directory = SocketDirectory(path: path, policy: .state)
        self.path = "\(path)/\(name).log"
    }

    /// Opens the newest file for appending, and creates it if necessary.
    package func open() throws(StartError) -> Int32 {
        try StartError.ofSystem(directory.ensure)
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT)
        guard descriptor >= 0 else {
            throw StartError(EX_CANTCREAT, "\(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private func open(_ path: String, _ flags: Int32) -> Int32 {
        Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }

    /// Whether the parent of the log's directory exists.
    package var hasHome: Bool { access(stateDirectory, F_OK) == 0 }

    /// Rotates the files if the newest, which is open, is too large.
    ///
    /// Returns whether it was: the open file then has another name.
    package func rotateIfLarge(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > Self.bytesMax,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        defer { flock(descriptor, LOCK_UN) }
        // Another process may have rotated the files meanwhile.
        if FileIdentity(of: descriptor) == FileIdentity(at: path) { rotate() }
        return true
    }

    /// Renames each file to the next name, and drops the oldest. No other process may do so now.
    private func rotate(from oldest: Int = 1) {
        for number in (oldest..<Self.filesMax).reversed() {
            // A missing file needs no next name.
            rename(name(number - 1), name(number))
        }
    }

    private func name(_ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }

    /// Empties files that have grown far too large. The end of the newest becomes an older file.
    ///
    /// Returns the size of the newest in bytes.
    package func cut() -> Int {
        for number in 1..<Self.filesMax where size(of: name(number)) > Self.cutBytes {
            truncate(name(number), 0)
        }
        let bytes = size(of: path)
        guard bytes > Self.cutBytes else { return bytes }
        let newest = open(path, O_RDWR)
        defer { close(newest) }
        guard newest >= 0, flock(newest, LOCK_EX | LOCK_NB) == 0,
            FileIdentity(of: newest) == FileIdentity(at: path)
        else { return bytes }
        let end = end(of: newest, bytesMax: Self.bytesMax)
        rotate(from: 2)
        let older = open(name(1), O_WRONLY | O_CREAT | O_TRUNC)
        // If there is no room for it now, there will be soon.
        _ = end.withUnsafeBytes { write(older, $0.baseAddress, $0.count) }
        close(older)
        ftruncate(newest, 0)
        return 0
    }

    private func size(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            ? Int(status.st_size) : 0
    }

    /// Returns the last lines of the newest file, the first of which may be cut off.
    package func end(bytesMax: Int) -> [Substring] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return String(decoding: end(of: descriptor, bytesMax: bytesMax), as: UTF8.self)
            .split(separator: "\n")
    }

    private func end(of descriptor: Int32, bytesMax: Int) -> ArraySlice<UInt8> {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = pread(descriptor, &bytes, bytesMax, max(0, status.st_size - bytesMax))
        return bytes.prefix(max(0, count))
    }
}

/// Writes log lines, whose metadata may contain foreign text.
package struct LogStream: TextOutputStream, Sendable {
    private let stream: StandardStream

    package init(stream: StandardStream = .error) { self.stream = stream }

    package func write(_ line: String) {
        // If nobody can read it, there is nobody left to tell. The handler ends its line; other
        // line breaks come from foreign text.
        try? stream.write(PrintableText(line: String(line.dropLast())))
    }
}
