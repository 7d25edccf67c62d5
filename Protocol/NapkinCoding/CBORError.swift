// CBORError: the reason why bytes could not be read or a value could not be written.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// The reason why encoding or decoding failed, where, and on what.
///
/// After an error, a writer may hold part of the value, which `truncate(to:)` removes, and a reader
/// is somewhere inside the refused item and must not be read further.
public struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable {
        /// The input ends inside an item.
        case truncated
        /// The item has another type than the one requested.
        case typeMismatch
        /// A required field is not in its map.
        case missingField
        /// The value names no case of the enum, or two.
        case unknownCase
        /// The number does not fit the requested type.
        case outOfRange
        /// More nesting than `CBORLimits.depthMax`.
        case depthExceeded
        /// More bytes or elements than a limit of `CBORLimits` allows.
        case lengthExceeded
        /// One key occurs twice in one map.
        case duplicateKey
        /// A text string that is not UTF-8.
        case invalidUTF8
        /// An indefinite-length item, which this coder refuses.
        case indefiniteLength
        /// An encoding that RFC 8949 reserves.
        case reserved
        /// Bytes after the last item.
        case trailingBytes
        /// Well-formed, but not supported by this coder (tags; interleaved containers).
        case unsupported
        /// The type's own `encode(to:)` or `init(from:)` threw.
        case custom
    }

    public var code: Code
    /// Bytes from the start of the reader's memory; -1 when encoding.
    public var offset: Int
    /// A sentence that says what happened, and to what: names of fields and types, never values.
    public var detail: String

    public init(_ code: Code, at offset: Int = -1, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    public var description: String {
        offset < 0
            ? "CBOR \(code) while encoding: \(detail)"
            : "CBOR \(code) at byte \(offset): \(detail)"
    }
}
