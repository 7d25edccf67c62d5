// ServerAddress: where the server is.

import Glibc

/// A host and a port. The host is this machine or a number: names are not looked up.
package nonisolated struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address at which `characters-server` listens by default.
    package static let standard = ServerAddress(host: "127.0.0.1", port: 4110)

    package let host: String
    package let port: UInt16

    /// Why a text is not an address.
    package nonisolated struct Malformed: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not a server: give HOST:PORT, with localhost or a number such as "
                + "127.0.0.1 for HOST"
        }
    }

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:4110`, `localhost:4110` and either of them after `http://`.
    package init(_ text: String) throws(Malformed) {
        var rest = text[...]
        if rest.hasPrefix("http://") { rest = rest.dropFirst("http://".count) }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else {
            throw Malformed(text: text)
        }
        host = parts[0] == "localhost" ? "127.0.0.1" : String(parts[0])
        self.port = port
        var number = in_addr()
        guard inet_pton(AF_INET, host, &number) == 1 else { throw Malformed(text: text) }
    }

    package var description: String { "\(host):\(port)" }
}
