// TypeSchema: a message type described as data: the possible contents of its bytes.
//
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// One type that crosses, described by its fields, its cases or its raw values.
///
/// Fields refer to types by their text, `[PitItem]`, `String?`, `[String: Int]`: each name in it
/// denotes a scalar or another `TypeSchema`. A type may therefore contain itself.
@Message
package struct TypeSchema: Hashable {
    /// The form of a type's bytes. It is open: a newer peer may know more kinds.
    package struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// A map with a key for each field.
        package static let structure = Kind(rawValue: "struct")
        /// A map with one key, the case's, and the map of its values.
        package static let choice = Kind(rawValue: "enum")
        /// The raw value itself; any value of its type if none are listed.
        package static let raw = Kind(rawValue: "raw")
        /// A type that is only `Codable`: its structure is unknown.
        package static let opaque = Kind(rawValue: "opaque")
    }

    /// The type's name with the types around it, without its module: `PitItem.Stage`.
    package var name: String
    package var kind: Kind
    /// The fields of a `struct`, in the order of declaration.
    package var fields: [FieldSchema]?
    /// The cases of an `enum`, or the values of a `raw` type.
    package var cases: [CaseSchema]?
    /// The type of a raw value.
    package var raw: String?
}

/// One field of a type: its key on the wire, and its type.
@Message
package struct FieldSchema: Hashable {
    package var key: String
    /// Ends in `?` if the field may be absent.
    package var type: String
    /// True if the reader has a value for a field that is missing; otherwise absent.
    package var hasDefault: Bool?
}

/// One case: a key with its values, or the name of a raw value.
@Message
package struct CaseSchema: Hashable {
    package var key: String
    /// The case's values; most cases have none.
    package var fields: [FieldSchema]?
    /// The raw value as text.
    package var value: String?
}
