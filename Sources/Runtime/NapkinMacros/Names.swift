// Names: identifiers of generated code that clash with nothing in the user's code.

import SwiftParser
import SwiftSyntax

extension String {
    /// The name without backticks.
    var bare: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }

    /// The name as an expression or a pattern may spell it: in backticks if it is a keyword.
    var quoted: String { isValidSwiftIdentifier(for: .variableName) ? self : "`\(self)`" }

    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    var literal: String {
        var escaped = ""
        for character in self {
            if character == "\\" || character == "\"" { escaped.append("\\") }
            escaped.append(character)
        }
        return "\"\(escaped)\""
    }

    /// Returns the name with enough leading underscores to differ from all of `taken`.
    func avoiding(_ taken: Set<String>) -> String {
        var name = self
        while taken.contains(name) { name = "_" + name }
        return name
    }

    /// The 32-bit FNV-1a hash of the text, as `MethodID(key:)` computes it.
    var methodNumber: UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return hash
    }
}

extension UInt32 {
    /// Eight hexadecimal digits.
    var digits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The number as a literal, `0x1234_ABCD`.
    var literal: String { "0x\(digits.prefix(4))_\(digits.suffix(4))" }
}
