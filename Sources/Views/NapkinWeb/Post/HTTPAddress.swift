// HTTPAddress: where something is posted to: a server without TLS, and a path below it.
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
        let start = "http://"
        guard text.hasPrefix(start), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !text.contains(where: { "?#@\\".contains($0) })
        else { return nil }
        let rest = text.dropFirst(start.count)
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path = path.dropLast() }
        var host = authority
        var digits: Substring = ""
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[authority.index(after: authority.startIndex)..<end]
            digits = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            digits = authority[colon...]
        }
        let port = digits.isEmpty ? standard : Int(digits.dropFirst()) ?? 0
        guard !host.isEmpty, (1...65_535).contains(port), digits.isEmpty || digits.hasPrefix(":")
        else { return nil }
        (self.host, self.port, self.path) = (String(host), port, String(path))
    }
}
