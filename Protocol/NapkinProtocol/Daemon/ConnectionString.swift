// ConnectionString: finds out whether a libpq connection string or URI contains a password.
//
// Source     postgresql.org/docs/15: libpq-connect, "Connection Strings"

/// The parameters of a database, as far as secrets are concerned.
struct ConnectionString {
    private static let secrets: Set = ["password", "sslpassword"]

    private(set) var hasPassword = false

    /// `nil` for the name of a service.
    init?(_ text: String) {
        if let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) {
            read(uri: text.dropFirst(scheme.count))
        } else if text.contains("=") {
            read(words: text)
        } else {
            return nil
        }
    }

    /// `user:password@host/database?key=value&…`, each part percent-encoded.
    private mutating func read(uri: Substring) {
        let authority = uri.prefix { !"/?".contains($0) }
        // libpq ends the user's part at the first @.
        if let at = authority.firstIndex(of: "@") {
            hasPassword = authority[..<at].contains(":")
        }
        guard let query = uri.firstIndex(of: "?") else { return }
        for parameter in uri[uri.index(after: query)...].split(separator: "&") {
            note(Self.decoded(parameter.prefix { $0 != "=" }))
        }
    }

    /// `key = value`, where a value may be in single quotes, and `\` takes the next letter
    /// literally.
    private mutating func read(words text: String) {
        var rest = Substring(text)
        while true {
            rest = rest.drop(while: \.isWhitespace)
            let key = rest.prefix { $0 != "=" && !$0.isWhitespace }
            rest = rest.dropFirst(key.count).drop(while: \.isWhitespace)
            guard rest.first == "=" else { return }
            note(String(key))
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            let isQuoted = rest.first == "'"
            if isQuoted { rest = rest.dropFirst() }
            while let letter = rest.first, isQuoted ? letter != "'" : !letter.isWhitespace {
                rest = rest.dropFirst(letter == "\\" ? 2 : 1)
            }
            if isQuoted { rest = rest.dropFirst() }
        }
    }

    private mutating func note(_ key: String) {
        if Self.secrets.contains(key) { hasPassword = true }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
