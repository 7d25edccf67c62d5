// SessionFile: an exported session's file.
//
// Layer      executable, output.
// Isolation  none of its own; blocks.
// Spec       Protocol/LEDGER.md, "Exported sessions"

import Glibc
import NapkinCoding
import NapkinCore
import NapkinProtocol

/// Reads and writes exported sessions, which the worker checks.
enum SessionFile {
    /// What a file says of itself.
    struct Head: Decodable {
        var app: String
        var session: String
    }

    /// The bytes before the map that says it.
    private static let headerBytes = 20

    /// This directory, with a slash at its end.
    static var here: String {
        guard let path = getcwd(nil, 0) else { return "./" }
        defer { free(path) }
        return String(cString: path) + "/"
    }

    static func head(of bytes: [UInt8], _ path: String) throws(ClientFailure) -> Head {
        do throws(CBORError) {
            return try Payload(Array(bytes.dropFirst(headerBytes))).decode()
        } catch {
            throw ClientFailure(
                ExitTable.dataError,
                "\(path) is not an exported session, or was altered: \(error.detail)")
        }
    }

    static func read(_ path: String) throws(ClientFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT {
                throw ClientFailure(ExitTable.noInput, "\(path): there is no such file")
            }
            throw failure("read", path)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= LedgerLimits.exportBytesMax {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw ClientFailure(
            ExitTable.dataError,
            "\(path) has more than \(LedgerLimits.exportBytesMax) bytes, which is the limit")
    }

    /// Writes a file that does not exist, for its user alone.
    static func write(_ bytes: [UInt8], to path: String) throws(ClientFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST {
                throw ClientFailure(
                    ExitTable.cannotCreate, "\(path) exists: name another file, or remove it")
            }
            throw failure("write", path)
        }
        let isWritten = FileText.writeAll(bytes, to: file) && fsync(file) == 0
        let failure = failure("write", path)
        close(file)
        guard isWritten else {
            unlink(path)
            throw failure
        }
    }

    private static func failure(_ what: String, _ path: String) -> ClientFailure {
        ClientFailure(
            errno == EACCES ? ExitTable.noPermission : ExitTable.ioError,
            "cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }
}
