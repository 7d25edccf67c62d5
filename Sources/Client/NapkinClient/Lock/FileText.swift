// FileText: a small file, mostly of text, that is read and written as a whole.

import Glibc
import NapkinTransport

enum FileText {
    /// Bytes that a file may have. Chosen: far above any contract.
    static let bytesMax = 16 * 1024 * 1024

    /// Returns the file's text; `nil` if there is no file. Bytes that are no text are an error.
    static func read(_ path: String) throws(ClientFailure) -> String? {
        guard let bytes = try bytes(of: path, most: bytesMax) else { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw .dataError("\(path) is not text in UTF-8")
    }

    /// Returns the file's bytes; `nil` if there is no file.
    static func bytes(of path: String, most bytesMax: Int) throws(ClientFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", path)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= bytesMax {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw .dataError("\(path) has more than \(bytesMax) bytes, which is the limit")
    }

    /// Replaces the file as a whole, so that it never contains half of the text.
    static func write(_ text: String, to path: String) throws(ClientFailure) {
        guard WholeFile.write(Array(text.utf8), to: path, mode: 0o644) else {
            throw failure("write", path)
        }
    }

    /// Returns the path without links and dots; `nil`, and `errno`, if nothing is there.
    static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Writes a new file. Returns false, with the reason in `errno`, if that is not possible: then
    /// no half-written file stays.
    static func put(_ bytes: [UInt8], at path: String, mode: mode_t) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, mode)
        guard file >= 0 else { return false }
        let isWhole = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let reason = errno
        close(file)
        if isWhole { return true }
        unlink(path)
        errno = reason
        return false
    }

    static func failure(_ what: String, _ path: String) -> ClientFailure {
        ClientFailure(
            errno == EACCES ? ExitTable.noPermission : ExitTable.ioError,
            "cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }
}
