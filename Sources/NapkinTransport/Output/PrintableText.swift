// PrintableText: what may be printed: text of others with every control character made visible.
//
// Layer      transport, output.
// Isolation  value.
// Invariant  a control character in it stands in the source of this package, or ends a line.
//
// A control of a peer's, in a name or in an error, would clear the screen, forge a line or turn
// text around. So what is printed has this type, and there are two ways to it: a literal, which is
// ours, and the initializers, which leave no control as it is. `StandardStream` takes nothing else.

/// Text that cannot do anything to a terminal but stand there.
package struct PrintableText: Sendable, Equatable, ExpressibleByStringLiteral {
    package private(set) var bytes: [UInt8] = []

    /// Text of ours, control sequences too. Only a literal is one: interpolations do not compile.
    package init(stringLiteral text: StaticString) {
        text.withUTF8Buffer { bytes = Array($0) }
    }

    /// Text of anybody, as it stands within a line: `ESC` becomes `\u{1B}`, a line break `\n`.
    package init(escaping text: String) {
        bytes = Array(Self.escaped(text).utf8)
    }

    /// A line of anybody, ended.
    package init(line: String) {
        self.init(escaping: line)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Lines, each ended. A line break inside of one is shown, and makes no further line.
    package init(lines: [String]) {
        for line in lines { self += PrintableText(line: line) }
    }

    /// Text of ours that has several lines: help, a manual page.
    package init(text: String) {
        self.init(
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        if text.hasSuffix("\n") { bytes.removeLast() }
    }

    /// A value's JSON text as a line: the value is the same, and the controls in it are escapes.
    package init(json text: [UInt8]) {
        if text.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            bytes = text
        } else {
            for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
                switch scalar.value {
                // Strings of JSON have none, and between values a space says the same.
                case 0..<0x20: bytes.append(UInt8(ascii: " "))
                case _ where Self.shows(scalar): bytes += UTF8.encode(scalar).map(Array.init) ?? []
                case let value:
                    let digits = String(value, radix: 16)
                    bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
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
    /// Whether a character can be shown as it is: it is no control of ASCII or of its extension,
    /// begins no line (U+2028, U+2029), and turns no text around it. Those that turn text are
    /// Unicode's `Bidi_Control`, all of them.
    package static func shows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// `text` with each character that cannot be shown as Swift writes it: `\n`, `\u{1B}`.
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
