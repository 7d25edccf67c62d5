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

    /// The token of an address, in place of anything else.
    var token: String? {
        let start = "/?token="
        return target.hasPrefix(start) ? String(target.dropFirst(start.count)) : nil
    }

    /// Whether a browser says that a page of another site asks.
    var isOfOtherSite: Bool {
        !values(of: "sec-fetch-site").allSatisfy { $0 == "none" || $0 == "same-origin" }
    }

    /// Whether a person follows an address with a token, from whatever page it is on.
    var isFollowedLink: Bool {
        token != nil && values(of: "sec-fetch-mode") == ["navigate"]
            && values(of: "sec-fetch-dest") == ["document"]
    }

    /// Returns the values of all headers of a name, which is in lower case.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
