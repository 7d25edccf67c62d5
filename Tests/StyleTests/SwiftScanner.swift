// SwiftScanner: tells the code, the comments and the strings of a Swift file apart.

/// Two views of a file's bytes, of the file's own length: what is not of the view is a space, and
/// every line break stays. An offset in one is thus an offset in the other and in the file.
struct SwiftViews {
    var code: [UInt8]
    var comments: [UInt8]
}

/// Approximate where Swift itself needs a parser: a bare `/regex/` is known by what is before it.
struct SwiftScanner {
    private let text: [UInt8]
    private var at = 0
    private var views: SwiftViews

    private init(_ text: [UInt8]) {
        self.text = text
        let blank = text.map { $0 == .newline ? $0 : .space }
        views = SwiftViews(code: blank, comments: blank)
    }

    static func views(of text: [UInt8]) -> SwiftViews {
        var scanner = SwiftScanner(text)
        scanner.code(until: nil)
        return scanner.views
    }

    /// Reads code to the end, or to the parenthesis that closes an interpolation.
    private mutating func code(until closing: UInt8?) {
        var depth = 0
        while at < text.count {
            switch text[at] {
            case .slash where peek(1) == .slash: lineComment()
            case .slash where peek(1) == .star: blockComment()
            case .quote: string(hashes: 0)
            case .hash where startsRawLiteral(): rawLiteral()
            case .slash where startsRegex(): regex()
            case .backquote: quotedName()
            case UInt8(ascii: "("):
                depth += 1
                keep()
            case UInt8(ascii: ")"):
                if closing != nil, depth == 0 { return }
                depth -= 1
                keep()
            default: keep()
            }
        }
    }

    private func peek(_ distance: Int) -> UInt8? {
        at + distance < text.count ? text[at + distance] : nil
    }

    private mutating func keep() {
        views.code[at] = text[at]
        at += 1
    }

    private mutating func lineComment() {
        while at < text.count, text[at] != .newline {
            views.comments[at] = text[at]
            at += 1
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            var width = 1
            if text[at] == .slash, peek(1) == .star {
                depth += 1
                width = 2
            } else if text[at] == .star, peek(1) == .slash {
                depth -= 1
                width = 2
            }
            for _ in 0..<width where at < text.count {
                views.comments[at] = text[at]
                at += 1
            }
        } while depth > 0 && at < text.count
    }

    /// A name in back quotes (a test's sentence) is code, but what is in it has no meaning here.
    private mutating func quotedName() {
        let closing = text[(at + 1)...].firstIndex { $0 == .backquote || $0 == .newline }
        for index in at...(closing ?? at) where text[index] != .newline {
            views.code[index] = .letter
        }
        at = (closing ?? at) + 1
    }

    private func startsRawLiteral() -> Bool {
        let next = text[at...].first { $0 != .hash }
        return next == .quote || next == .slash
    }

    private mutating func rawLiteral() {
        var hashes = 0
        while peek(0) == .hash {
            hashes += 1
            at += 1
        }
        peek(0) == .quote ? string(hashes: hashes) : skip(to: .slash, hashes: hashes)
    }

    private mutating func string(hashes: Int) {
        let isMultiline = peek(1) == .quote && peek(2) == .quote
        let quotes = isMultiline ? 3 : 1
        at += quotes
        while at < text.count {
            if text[at] == .backslash, has(.hash, hashes, from: at + 1) {
                at += 1 + hashes
                if peek(0) == UInt8(ascii: "(") {
                    at += 1
                    code(until: UInt8(ascii: ")"))
                }
                at += 1
            } else if has(.quote, quotes, from: at), has(.hash, hashes, from: at + quotes) {
                at += quotes + hashes
                return
            } else if text[at] == .newline, !isMultiline {
                return
            } else {
                at += 1
            }
        }
    }

    private func has(_ byte: UInt8, _ count: Int, from start: Int) -> Bool {
        start + count <= text.count && text[start..<(start + count)].allSatisfy { $0 == byte }
    }

    private mutating func skip(to byte: UInt8, hashes: Int) {
        at += 1
        while at < text.count, !(text[at] == byte && has(.hash, hashes, from: at + 1)) { at += 1 }
        at = min(at + 1 + hashes, text.count)
    }

    private func startsRegex() -> Bool {
        guard let next = peek(1), next != .space, next != .newline else { return false }
        let before = views.code[..<at].last { $0 != .space }
        let openers = "(,=:[{\n".utf8
        guard before.map(openers.contains) ?? true else { return false }
        return text[(at + 1)...].prefix { $0 != .newline }.contains(.slash)
    }

    private mutating func regex() {
        at += 1
        while at < text.count, text[at] != .slash, text[at] != .newline {
            at += text[at] == .backslash ? 2 : 1
        }
        at += 1
    }
}

extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let letter = UInt8(ascii: "x")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")
    static let quote = UInt8(ascii: "\"")
    static let hash = UInt8(ascii: "#")
    static let backquote = UInt8(ascii: "`")
    static let backslash = UInt8(ascii: "\\")

    /// Whether it can be part of a name; bytes beyond ASCII are taken to be.
    var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
            true
        default: false
        }
    }
}
