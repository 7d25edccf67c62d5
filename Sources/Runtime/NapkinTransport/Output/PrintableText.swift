// PrintableText: text that is safe to print, because control characters from elsewhere are escaped.
//
// Invariant  each control character in it comes from this package's source, or ends a line.
//
// A peer's control character, in a name or in an error, could clear the screen, forge a line or
// reverse text. So everything printed has this type, which is created only from a literal, which is
// ours, or by an initializer that escapes control characters. `StandardStream` takes nothing else.

package struct PrintableText: Sendable, Equatable, ExpressibleByStringLiteral {
    package private(set) var bytes: [UInt8] = []

    /// Takes our own text as it is, control sequences included. Only literals are accepted:
    /// interpolations do not compile.
    package init(stringLiteral text: StaticString) { text.withUTF8Buffer { bytes = Array($0) } }

    /// Escapes text of any origin for use within a line: `ESC` becomes `\u{1B}`, a line break `\n`.
    package init(escaping text: String) { bytes = Array(Self.escaped(text).utf8) }

    /// Escapes a line of any origin and ends it.
    package init(line: String) {
        self.init(escaping: line)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Escapes and ends each line. A line break inside a line is escaped, so that it starts no new
    /// one.
    package init(lines: [String]) {
        for line in lines { self += PrintableText(line: line) }
    }

    /// Takes our own text of several lines, such as help or a manual page.
    package init(text: String) {
        self.init(
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        if text.hasSuffix("\n") { bytes.removeLast() }
    }

    /// Takes a value's JSON text as one line. The value stays the same; control characters in it
    /// become JSON escapes.
    package init(json text: [UInt8]) {
        if text.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            bytes = text
        } else {
            for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
                switch scalar.value {
                // JSON strings contain none, and between values a space means the same.
                case 0..<0x20: bytes.append(UInt8(ascii: " "))
                case _ where Self.shows(scalar): bytes += UTF8.encode(scalar).map(Array.init) ?? []
                case let value: bytes += "\\u\(value.digits(4, radix: 16))".utf8
                }
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func removeFirst(_ count: Int) { bytes.removeFirst(count) }

    package static func + (left: PrintableText, right: PrintableText) -> PrintableText {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout PrintableText, right: PrintableText) {
        left.bytes += right.bytes
    }
}

extension PrintableText {
    /// Whether a character can be shown as it is: it is not an ASCII or C1 control character,
    /// begins no line (U+2028, U+2029) and does not change the direction of text (Unicode's
    /// `Bidi_Control`).
    package static func shows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// Returns `text` with every character that cannot be shown escaped as in Swift: `\n`,
    /// `\u{1B}`.
    package static func escaped(_ text: String) -> String {
        guard !text.unicodeScalars.allSatisfy(shows) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if shows(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.escaped(asASCII: true)
            }
        }
    }
}
