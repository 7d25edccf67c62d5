// TypeReference: a parsed reference from a schema to a type.
//
// Layer      core vocabulary. Pure: text from a peer can never trap here.
// Invariant  at most `nestingMax` levels deep.
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// A scalar, a described type, or a container of these.
package indirect enum TypeReference: Hashable, Sendable {
    case named(String)
    case optional(TypeReference)
    /// An array or a set: both have the same bytes.
    case array(TypeReference)
    case dictionary(TypeReference, TypeReference)
    /// `[UInt8]`, one byte string.
    case bytes

    /// Levels of a reference that are parsed; the rest counts as a name. Chosen: none has more.
    static let nestingMax = 64

    package init(_ text: String) { self.init(text[...], Self.nestingMax) }

    private init(_ text: Substring, _ levels: Int) {
        let text = text.trimmed[...]
        guard levels > 0, let last = text.last else {
            self = .named(String(text))
            return
        }
        switch last {
        case "?": self = .optional(Self(text.dropLast(), levels - 1))
        case "]" where text.first == "[":
            self.init(bracketed: text.dropFirst().dropLast(), levels - 1)
        case ">" where text.hasPrefix("Set<"):
            self = .array(Self(text.dropFirst(4).dropLast(), levels - 1))
        default: self = .named(String(text))
        }
    }

    private init(bracketed text: Substring, _ levels: Int) {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "[", "<", "(": depth += 1
            case "]", ">", ")": depth -= 1
            case ":" where depth == 0:
                let key = Self(text[..<index], levels)
                self = .dictionary(key, Self(text[text.index(after: index)...], levels))
                return
            default: break
            }
        }
        self = text.trimmed == "UInt8" ? .bytes : .array(Self(text, levels))
    }

    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }
}

extension FieldSchema {
    /// Whether a reader does without the field, which then has its default or no value.
    var mayBeMissing: Bool { hasDefault == true || TypeReference(type).isOptional }
}

extension StringProtocol {
    /// The text without spaces at its ends.
    package var trimmed: String {
        var text = self[...].drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension TypeReference {
    /// Returns whether every number of type `other` is also one of type `name`.
    static func holds(_ name: String, everyNumberOf other: String) -> Bool {
        if name == "Double", other == "Float" { return true }
        guard let own = bits(of: name), let others = bits(of: other) else { return false }
        if own.isSigned == others.isSigned { return own.count >= others.count }
        return own.isSigned && own.count > others.count
    }

    /// Returns the bounds of an integer type; `nil` for any other type.
    package static func bounds(of name: String) -> (least: Int64, greatest: UInt64)? {
        guard let (isSigned, count) = bits(of: name) else { return nil }
        let rest = 64 - count
        if isSigned { return (Int64.min >> rest, UInt64(Int64.max >> rest)) }
        return (0, UInt64.max >> rest)
    }

    private static func bits(of name: String) -> (isSigned: Bool, count: Int)? {
        let isSigned = name.hasPrefix("Int")
        guard isSigned || name.hasPrefix("UInt") else { return nil }
        let digits = name.dropFirst(isSigned ? 3 : 4)
        if digits.isEmpty { return (isSigned, 64) }
        guard let count = Int(digits), [8, 16, 32, 64].contains(count) else { return nil }
        return (isSigned, count)
    }
}
