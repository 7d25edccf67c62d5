// SessionFile: an exported session's file.
//
// Spec       Protocol/LEDGER.md, "Exported sessions"

import Glibc
import NapkinCoding
import NapkinCore
import NapkinProtocol

/// Reads and writes exported sessions; the worker validates them.
enum SessionFile {
    /// The names that a file states in its header.
    struct Head: Decodable {
        var app: String
        var session: String
    }

    /// The bytes before the map that contains `Head`.
    private static let headerBytes = 20

    /// The current directory, with a slash at its end.
    static var here: String {
        guard let path = getcwd(nil, 0) else { return "./" }
        defer { free(path) }
        return String(cString: path) + "/"
    }

    static func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : here + path }

    static func head(of bytes: [UInt8], _ path: String) throws(ClientFailure) -> Head {
        do throws(CBORError) {
            return try Payload(Array(bytes.dropFirst(headerBytes))).decode()
        } catch {
            throw .dataError("\(path) is not an exported session, or was altered: \(error.detail)")
        }
    }

    static func write(_ receipt: Receipt, to path: String) throws(ClientFailure) {
        var writer = CBORWriter()
        do throws(CBORError) {
            try writer.write(receipt)
        } catch {
            throw .software("the receipt cannot be written: \(error)")
        }
        try write(writer.copyBytes(), to: path)
    }

    static func read(_ path: String) throws(ClientFailure) -> [UInt8] {
        let bytes = try FileText.bytes(of: path, most: LedgerLimits.exportBytesMax)
        if let bytes { return bytes }
        throw .noInput("\(path): there is no such file")
    }

    /// Writes a new file that only this user can read.
    static func write(_ bytes: [UInt8], to path: String) throws(ClientFailure) {
        if FileText.put(bytes, at: path, mode: 0o600) { return }
        guard errno == EEXIST else { throw FileText.failure("write", path) }
        throw .cannotCreate("\(path) exists: name another file, or remove it")
    }
}
