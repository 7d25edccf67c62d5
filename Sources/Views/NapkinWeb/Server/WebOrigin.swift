// WebOrigin: the names under which browsers reach a server.
//
// Spec       RFC 6454, section 6.2 (ASCII serialization of an origin)

import NapkinTransport

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
        let names = ["\(String.randomWord().prefix(16)).localhost", "127.0.0.1", "localhost"]
        return WebOrigin(
            scheme: "http", hosts: names.map { "\($0):\(port)" }, cookieName: "napkin-\(port)")
    }

    private init(scheme: String, hosts: [String], cookieName: String) {
        (self.scheme, self.hosts, self.cookieName) = (scheme, hosts, cookieName)
    }

    /// Reads a proxy's address, as browsers write it: `https://host`, with a port unless it is 443.
    /// `nil` for anything else, such as an address without TLS.
    package init?(_ text: String) {
        let pattern = #/https://([a-z0-9.-]+(?::([1-9][0-9]{0,4}))?)/#
        guard let match = text.wholeMatch(of: pattern),
            match.2.map({ $0 != "443" && UInt16($0) != nil }) ?? true
        else { return nil }
        self.init(scheme: "https", hosts: [String(match.1)], cookieName: "__Secure-napkin")
    }
}

/// A request without its body.
package struct WebRequest: Sendable {
    package var method: String
    package var target: String
    package var isVersion11: Bool
    package var headers: [(name: String, value: String)]

    package init(
        method: String, target: String, isVersion11: Bool = true,
        headers: [(name: String, value: String)]
    ) {
        self.method = method
        self.target = target
        self.isVersion11 = isVersion11
        self.headers = headers
    }

    /// The token, if the address consists of nothing else.
    var token: String? {
        let start = "/?token="
        return target.hasPrefix(start) ? String(target.dropFirst(start.count)) : nil
    }

    /// Whether the browser reports that a page of another site sent the request.
    var isOfOtherSite: Bool {
        !values(of: "sec-fetch-site").allSatisfy { $0 == "none" || $0 == "same-origin" }
    }

    /// Whether a person follows an address with a token, from any page.
    var isFollowedLink: Bool {
        token != nil && values(of: "sec-fetch-mode") == ["navigate"]
            && values(of: "sec-fetch-dest") == ["document"]
    }

    /// Returns the values of all headers with a name, in lower case.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
