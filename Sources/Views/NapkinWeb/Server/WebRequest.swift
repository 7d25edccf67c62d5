// WebRequest: the head of a request, as the door reads it.
//
// Layer      web, server. It knows no HTTP library.

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
