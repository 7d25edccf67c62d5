// HTTPAddress: the destination of a post: a server without TLS, and a path on it.
//
// Spec       RFC 3986

package struct HTTPAddress: Equatable, Sendable {
    let host: String
    let port: Int
    /// Empty, or begins with a slash and does not end with one.
    let path: String

    /// The `Host` of a request.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Reads `http://host[:port][/path]`; `nil` for anything else, such as an address with a user,
    /// a query or TLS.
    ///
    /// - Parameter port: the port of an address without one.
    package init?(_ text: String, port standard: Int) {
        let pattern = #/http://(?:([^/:\[\]]+)|\[([^/\]]+)\])(?::([0-9]+))?((?:/+[^/]+)*)/*/#
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !text.contains(where: { "?#@\\".contains($0) }),
            let match = text.wholeMatch(of: pattern), let host = match.1 ?? match.2
        else { return nil }
        let port = match.3.map { Int($0) ?? 0 } ?? standard
        guard (1...65_535).contains(port) else { return nil }
        (self.host, self.port, path) = (String(host), port, String(match.4))
    }
}
