// WebOrigin: the names under which browsers reach a server.
//
// Spec       RFC 6454, section 6.2 (ASCII serialization of an origin)

/// The `Host` and the `Origin` under which a server answers.
package struct WebOrigin: Equatable, Sendable {
    /// The scheme: `http` or `https`.
    let scheme: String
    /// The accepted `Host` names; printed addresses have the first one.
    let hosts: [String]
    /// Cookies ignore ports. Browsers accept a cookie with this prefix only over TLS.
    let cookieName: String

    var isSecure: Bool { scheme == "https" }

    /// Returns the address that opens the page.
    func address(with token: String) -> String { "\(scheme)://\(hosts[0])/?token=\(token)" }

    /// This machine, without a proxy. The printed name differs each time, so that cookies and
    /// service workers that other programs have left in a browser belong to other origins.
    static func loopback(port: Int) -> WebOrigin {
        let names = ["\(WebSecret.word().prefix(16)).localhost", "127.0.0.1", "localhost"]
        return WebOrigin(
            scheme: "http", hosts: names.map { "\($0):\(port)" }, cookieName: "napkin-\(port)")
    }

    private init(scheme: String, hosts: [String], cookieName: String) {
        (self.scheme, self.hosts, self.cookieName) = (scheme, hosts, cookieName)
    }

    /// Reads a proxy's address, as browsers write it: `https://host`, with a port unless it is 443.
    /// `nil` for anything else, such as an address without TLS.
    package init?(_ text: String) {
        let start = "https://"
        guard text.hasPrefix(start) else { return nil }
        let host = text.dropFirst(start.count)
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2,
            name.utf8.allSatisfy(Self.isOfName)
        else { return nil }
        if parts.count == 2 {
            guard let port = Int(parts[1]), (1...65_535).contains(port), port != 443,
                String(port) == parts[1]
            else { return nil }
        }
        self.init(scheme: "https", hosts: [String(host)], cookieName: "__Secure-napkin")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
