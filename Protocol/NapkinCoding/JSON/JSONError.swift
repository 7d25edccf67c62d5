// JSONError: the reason why a JSON text could not be read.

/// The reason why a JSON text was refused, and where.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error in the text.
    package enum Code: Sendable {
        /// The text ends inside a value.
        case truncated
        /// A character is not allowed at its place.
        case unexpected
        /// A string is not UTF-8, or has an unknown escape.
        case invalidString
        /// A number has a form that JSON does not allow, or is beyond every type.
        case invalidNumber
        /// The text has more nesting, entries or bytes than `CBORLimits` allows.
        case limitExceeded
        /// One name occurs twice in one object.
        case duplicateName
        /// Text follows the value.
        case trailingText
        /// A member is missing, or has another type than the one requested.
        case wrongMember
    }

    package var code: Code
    /// Bytes from the start of the text.
    package var offset: Int
    /// A sentence that says what happened, and to what.
    package var detail: String

    package init(_ code: Code, at offset: Int, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    package var description: String { "JSON \(code) at byte \(offset): \(detail)" }
}
