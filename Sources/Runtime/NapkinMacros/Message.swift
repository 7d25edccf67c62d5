// Message: a parsed struct or enum that is marked `@Message`.
//
// Spec       synthesized `Codable`, which the direct coding repeats byte for byte

import SwiftSyntax

struct Message {
    enum Shape {
        /// The stored properties that are coded, in the order in which they are written.
        case structure([Field])
        case choice([Choice])
        /// The type is its raw value: one of these cases, if there are any. `NapkinCoding` codes
        /// it.
        case rawValue(cases: [String])
    }

    var name: String
    /// `public `, `package ` or nothing.
    var access: String
    var shape: Shape
    /// The labels of a struct's memberwise initializer; nil if it has none that takes everything.
    var memberwise: [String]?

    /// The number of fields that `CBORFields` can distinguish, `CBORReader.fieldsMax`.
    static let fieldsMax = 64
}

/// One value in a map: a stored property, or an associated value of a case.
struct Field {
    /// The name as code spells it, or an expression.
    var name: String
    var key: String
    /// The type as it is written; nil only where `isConstant`.
    var type: TypeSyntax?
    /// A `let` with an initial value: written, not read.
    var isConstant = false
    /// The value that it has if an initializer omits it.
    var defaultValue: String?

    /// The expression of the value if its key is missing. An optional is then nil, whatever its
    /// initial value: nil has no key.
    var substitute: String? { isOptional || isConstant ? nil : defaultValue }

    /// Whether the type is spelled as an optional: its key is omitted if there is no value.
    var isOptional: Bool {
        guard let type else { return false }
        return type.is(OptionalTypeSyntax.self)
            || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.baseName == "Optional"
    }

    /// The type as an expression can name it.
    var typeText: String {
        guard let type else { return "" }
        guard let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else {
            return type.trimmedDescription
        }
        return "\(unwrapped.wrappedType.trimmedDescription)?"
    }
}

/// One case of an enum without a raw type.
struct Choice {
    var name: String
    var key: String
    var fields: [Field]
    /// The label of each field whose key is also its label.
    var labels: [String?]
}
