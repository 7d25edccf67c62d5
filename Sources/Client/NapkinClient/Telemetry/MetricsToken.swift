// MetricsToken: the file with the token that admits a program that collects metrics.

import Glibc
import NapkinTransport

enum MetricsToken {
    /// Characters of a token. Chosen: at least 64 random bits, as hexadecimal digits, and short
    /// enough for a request's headers.
    private static let lengths = 16...256

    /// Returns the token in a file; creates the file with a new token if it does not exist.
    static func read(_ path: String) throws(ClientFailure) -> String {
        if let made = try make(path) { return made }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileText.failure("read", path) }
        guard status.st_mode & 0o007 == 0 else {
            throw .noPermission(
                "\(path) has a token that everybody on this machine may read: "
                    + "`chmod o= \(path)` ends that")
        }
        let bytes = try FileText.bytes(of: path, most: lengths.upperBound + 1) ?? []
        let token = String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
        guard lengths.contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw .dataError(
                "\(path) has no token, which has \(lengths.lowerBound) to \(lengths.upperBound) "
                    + "printable characters: remove the file, and a new one is written")
        }
        return token
    }

    /// Writes a file with a new token; returns `nil` if there is a file.
    private static func make(_ path: String) throws(ClientFailure) -> String? {
        let token = String.randomWord()
        if FileText.put(Array("\(token)\n".utf8), at: path, mode: 0o600) { return token }
        guard errno == EEXIST else { throw FileText.failure("write", path) }
        return nil
    }
}
