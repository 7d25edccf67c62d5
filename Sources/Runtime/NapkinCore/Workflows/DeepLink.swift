// DeepLink: a URL that leads to a place in an app, and how it is read.
//
// Invariant  the parts are decoded; every byte of the text has been checked.
// Spec       RFC 3986, sections 2 and 3, the part that links into apps need:
//            SCHEME://PLACE/PLACE?NAME=VALUE#FRAGMENT

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

/// Reads one URL from left to right.
struct DeepLinkParser {
    private let text: String
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    // MARK: - Parts, in this order

    mutating func scheme() throws(DeepLinkError) -> String {
        guard bytes.count <= DeepLink.bytesMax else {
            throw DeepLinkError(
                .malformed,
                "the URL has \(bytes.count) bytes; the limit is \(DeepLink.bytesMax)")
        }
        guard let first = current else { throw wrong("it is empty") }
        guard Self.isLetter(first) else {
            throw wrong("a scheme begins with a letter, as in app://place")
        }
        var scheme: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: ":") {
            guard Self.isLetter(byte) || Self.isDigit(byte) || "+-.".utf8.contains(byte) else {
                throw wrong("\(Self.shown(byte)) cannot be in a scheme, which ends with ://")
            }
            scheme.append(Self.isLetter(byte) ? byte | 0x20 : byte)
            index += 1
        }
        for expected in "://".utf8 {
            guard current == expected else { throw wrong("the scheme is followed by ://") }
            index += 1
        }
        return String(decoding: scheme, as: UTF8.self)
    }

    mutating func path() throws(DeepLinkError) -> [String] {
        var places: [String] = []
        while true {
            let start = index
            let place = try decoded(until: "/?#", and: "@:")
            if place.isEmpty {
                let isTrailing = current != UInt8(ascii: "/") && !places.isEmpty
                guard isTrailing else {
                    index = start
                    throw wrong(
                        places.isEmpty ? "a place follows ://" : "there is no place between //")
                }
            } else {
                places.append(place)
            }
            guard current == UInt8(ascii: "/") else { return places }
            index += 1
        }
    }

    mutating func query() throws(DeepLinkError) -> [DeepLink.QueryItem] {
        guard current == UInt8(ascii: "?") else { return [] }
        index += 1
        var items: [DeepLink.QueryItem] = []
        while true {
            let name = try decoded(until: "=&#")
            guard !name.isEmpty else { throw wrong("a name is missing in the query") }
            var value = ""
            if current == UInt8(ascii: "=") {
                index += 1
                value = try decoded(until: "&#")
            }
            items.append(DeepLink.QueryItem(name, value))
            guard current == UInt8(ascii: "&") else { return items }
            index += 1
        }
    }

    mutating func fragment() throws(DeepLinkError) -> String? {
        guard current == UInt8(ascii: "#") else { return nil }
        index += 1
        return try decoded(until: "")
    }

    // MARK: - Characters

    /// Reads up to one of `ends`, which is not consumed; a character of `refused` is an error.
    private mutating func decoded(
        until ends: String, and refused: String = ""
    ) throws(DeepLinkError) -> String {
        var decoded: [UInt8] = []
        let start = index
        while let byte = current, !ends.utf8.contains(byte) {
            if refused.utf8.contains(byte) {
                throw wrong("\(Self.shown(byte)) cannot be in a place: a link has no user or port")
            }
            decoded.append(try character())
        }
        guard let part = String(validating: decoded, as: UTF8.self) else {
            index = start
            throw wrong("the bytes encoded there with % are not UTF-8")
        }
        guard part != ".", part != ".." else {
            index = start
            throw wrong("\(part) is not a place")
        }
        return part
    }

    private mutating func character() throws(DeepLinkError) -> UInt8 {
        let byte = bytes[index]
        if byte == UInt8(ascii: "%") { return try encoded() }
        guard Self.isAllowed(byte) else {
            throw wrong("\(Self.shown(byte)) has to be written as \(Self.percent(byte))")
        }
        index += 1
        return byte
    }

    private mutating func encoded() throws(DeepLinkError) -> UInt8 {
        guard index + 2 < bytes.count, let high = Self.digit(bytes[index + 1]),
            let low = Self.digit(bytes[index + 2])
        else { throw wrong("two hex digits follow a %, as in %2F") }
        let byte = high << 4 | low
        guard byte >= 0x20, byte != 0x7F else {
            throw wrong("\(Self.percent(byte)) is a control character")
        }
        index += 3
        return byte
    }

    /// Whether RFC 3986 allows it: unreserved, or reserved without dividing anything here.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - UInt8(ascii: "0") }
        let lower = byte | 0x20
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        return letters.contains(lower) ? lower - UInt8(ascii: "a") + 10 : nil
    }

    private static func percent(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }

    private static func shown(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(UnicodeScalar(byte)))'" : "the byte \(percent(byte).dropFirst())"
    }

    private func wrong(_ what: String) -> DeepLinkError {
        DeepLinkError(.malformed, "'\(text)' is not a link, at character \(index + 1): \(what)")
    }
}
