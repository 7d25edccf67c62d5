// DeepLink: a URL that leads to a place in an app.
//
// Invariant  the parts are decoded; every byte of the text has been checked.
// Spec       RFC 3986, the part that links into apps need: SCHEME://PLACE/PLACE?NAME=VALUE#FRAGMENT

import NapkinCoding

/// A parsed URL: `shop://orders/42?tab=items#total`.
///
/// The parser is strict, since programs write links: it takes no user, no port, no character that
/// RFC 3986 does not allow, no incomplete `%41`, and no empty place between two slashes.
public struct DeepLink: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a URL.
    public static let bytesMax = Limits.urlBytesMax

    /// A pair of the query.
    public struct QueryItem: Hashable, Sendable {
        public var name: String
        /// Empty if there is no `=`.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The scheme, in lower case.
    public let scheme: String
    /// The texts between the slashes, including the first after `://`: `["orders", "42"]`.
    public let path: [String]
    public let query: [QueryItem]
    public let fragment: String?
    /// The URL as it was written.
    public let description: String
    /// The values of the route's `{name}` placeholders; empty until a route has matched.
    public internal(set) var parameters: [String: String] = [:]

    /// The value of the first pair with this name.
    public subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Parses a URL.
    public init(_ text: String) throws(DeepLinkError) {
        var parser = DeepLinkParser(text)
        scheme = try parser.scheme()
        path = try parser.path()
        query = try parser.query()
        fragment = try parser.fragment()
        description = text
    }
}

/// The reason why a text is not a link, or leads nowhere.
public struct DeepLinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of mistake.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is not a URL of the kind that leads into an app.
        case malformed
        /// The app has no such place.
        case unknown
        /// The app has the place, but its own route there is wrong, and its author has to fix it.
        case unusable
    }

    public var code: Code
    /// A sentence that states the mistake, its place and the remedy.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
