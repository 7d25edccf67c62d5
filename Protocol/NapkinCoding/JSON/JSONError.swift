// JSONError: why a JSON text could not be read.
//
// Layer      sans-I/O core.
// Isolation  value

/// Why a JSON text was refused, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Code: Sendable {
        /// The text ends inside a value.
        case truncated
        /// A character that cannot stand here.
        case unexpected
        /// A string that is not UTF-8, or with an escape that means nothing.
        case invalidString
        /// A number in a form that JSON does not have, or beyond every type.
        case invalidNumber
        /// More nesting, entries or bytes than `CBORLimits` allows.
        case limitExceeded
        /// One name twice in one object.
        case duplicateName
        /// Text after the value.
        case trailingText
        /// A member that is not there, or of another type than the one asked for.
        case wrongMember
    }

    public var code: Code
    /// Bytes from the start of the text.
    public var offset: Int
    /// What happened, to what.
    public var detail: String

    public init(_ code: Code, at offset: Int, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    public var description: String { "JSON \(code) at byte \(offset): \(detail)" }
}
