// DeepLink: a URL that leads to somewhere in an app.
//
// Layer      core.
// Isolation  value.
// Invariant  the parts are decoded; every byte of the text has been looked at.
// Spec       RFC 3986, the part that links into apps need: SCHEME://PLACE/PLACE?NAME=VALUE#FRAGMENT

/// A URL, taken apart: `shop://orders/42?tab=items#total`.
///
/// Strict, since a link is written by a program: no user and no port, no character that RFC 3986
/// does not allow, no half of a `%41`, no empty place between two slashes.
public struct DeepLink: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a URL. Chosen: what browsers take, too.
    public static let bytesMax = 8192

    /// A pair of the query.
    public struct QueryItem: Hashable, Sendable {
        public var name: String
        /// Empty where there is no `=`.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The scheme, in lower case.
    public let scheme: String
    /// What stands between the slashes, the first behind `://` included: `["orders", "42"]`.
    public let path: [String]
    public let query: [QueryItem]
    public let fragment: String?
    /// The URL as it was written.
    public let description: String
    /// What the `{name}` of its route stand for; empty until a route has matched.
    public internal(set) var parameters: [String: String] = [:]

    /// The value of the first pair of that name.
    public subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Takes a URL apart.
    public init(_ text: String) throws(DeepLinkError) {
        var parser = DeepLinkParser(text)
        scheme = try parser.scheme()
        path = try parser.path()
        query = try parser.query()
        fragment = try parser.fragment()
        description = text
    }
}

/// Why a text is no link, or leads nowhere.
public struct DeepLinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is no URL of the kind that leads into an app.
        case malformed
        /// The app has no such place.
        case unknown
        /// The app has the place, and its own route there is wrong: its author has to mend that.
        case unusable
    }

    public var code: Code
    /// A sentence: what is wrong, where, and what to do.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
