// ValueCheck: finds encoded values that do not have the types that a contract names.
//
// Layer      core vocabulary. Pure: invented bytes can never trap here.
// Invariant  goes no deeper than the reader's own limit.
// Spec       Protocol/SPEC.md, sections 6 (Messages) and 13 (Schema)

import NapkinCoding

/// Checks values before they are sent, so that their author learns which field is wrong.
///
/// A value of an undescribed type is assumed to be right: only the type's own code can tell.
package struct ValueCheck: Sendable {
    private let types: [String: TypeSchema]

    /// - Parameter types: the types that the contract describes; of two with one name the first
    ///   counts.
    package init(types: [TypeSchema]) {
        self.types = Dictionary(
            types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the mistake in a value of the type `reference`; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - value: the value, encoded as it would be sent.
    ///   - reference: the name of a type of the schema, for example `[CartItem]?`.
    ///   - place: the name of the value in the sentence: `count`, `item.price`.
    package func mistake(in value: [UInt8], of reference: String, at place: String) -> String? {
        value.withUnsafeBytes { bytes in
            do {
                var reader = CBORReader(bytes)
                try check(&reader, TypeReference(reference), place)
                try reader.expectEnd()
                return nil
            } catch let error as Mistake {
                return error.message
            } catch {
                return "\(place) cannot be read: \(error)"
            }
        }
    }

    private struct Mistake: Error {
        var message: String
    }

    private func check(_ reader: inout CBORReader, _ type: TypeReference, _ place: String) throws {
        try reader.enter()
        defer { reader.leave() }
        switch type {
        case .optional(let wrapped):
            if !reader.readNull() { try check(&reader, wrapped, place) }
        case .array(let element):
            try expect([.array], in: reader, "an array", place)
            for index in 0..<(try reader.readArrayHeader()) {
                try check(&reader, element, "\(place)[\(index)]")
            }
        case .dictionary(let key, let value): try checkMap(&reader, key, value, place)
        case .bytes:
            // Base64 text and an array of numbers are bytes as well.
            try expect([.bytes, .text, .array], in: reader, "bytes, as base64 text", place)
            try reader.skip()
        case .named(let name):
            if let described = types[name] { return try check(&reader, described, place) }
            try checkScalar(&reader, name, place)
        }
    }

    private func checkMap(
        _ reader: inout CBORReader, _ key: TypeReference, _ value: TypeReference, _ place: String
    ) throws {
        guard key == .named("String") || key == .named("Int") else {
            // Keys and values alternate in an array.
            return try reader.skip()
        }
        try expect([.map], in: reader, "an object", place)
        for _ in 0..<(try reader.readMapHeader()) {
            let name = try reader.readString()
            guard key == .named("String") || Int(name) != nil else {
                throw Mistake(message: "\(place) has the key '\(name)', which is not of type Int")
            }
            try check(&reader, value, "\(place).\(name)")
        }
    }

    private func checkScalar(_ reader: inout CBORReader, _ name: String, _ place: String) throws {
        do throws(CBORError) {
            switch name {
            case "Bool": _ = try reader.readBool()
            case "String": _ = try reader.readString()
            case "Double": _ = try reader.readDouble()
            case "Float": _ = try reader.readFloat()
            default:
                guard let (least, greatest) = TypeReference.bounds(of: name) else {
                    return try reader.skip()
                }
                let fits =
                    try reader.peekType() == .negative
                    ? reader.readInteger(Int64.self) >= least
                    : reader.readInteger(UInt64.self) <= greatest
                if !fits { throw CBORError(.outOfRange, "") }
            }
        } catch {
            let isTooLarge = error.code == .outOfRange
            let what = isTooLarge ? "does not fit into" : "is not of type"
            throw Mistake(message: "\(place) \(what) \(name)")
        }
    }

    // MARK: - Described types

    private func check(_ reader: inout CBORReader, _ type: TypeSchema, _ place: String) throws {
        switch type.kind {
        case .structure: try checkFields(&reader, type.fields ?? [], of: type.name, place)
        case .choice: try checkCase(&reader, type, place)
        case .raw: try checkRaw(&reader, type, place)
        default: try reader.skip()
        }
    }

    private func checkFields(
        _ reader: inout CBORReader, _ fields: [FieldSchema], of type: String, _ place: String
    ) throws {
        try expect([.map], in: reader, "a \(type), an object", place)
        var missing = fields
        for _ in 0..<(try reader.readMapHeader()) {
            let key = try reader.readString()
            guard let field = fields.first(where: { $0.key == key }) else {
                let known = fields.map(\.key).joined(separator: ", ")
                throw Mistake(
                    message: "\(place).\(key) is not a field of \(type), which has "
                        + (known.isEmpty ? "none" : known))
            }
            missing.removeAll { $0.key == key }
            try check(&reader, TypeReference(field.type), "\(place).\(key)")
        }
        if let field = missing.first(where: { !$0.mayBeMissing }) {
            throw Mistake(message: "\(place).\(field.key) is missing: it is a \(field.type)")
        }
    }

    private func checkCase(_ reader: inout CBORReader, _ type: TypeSchema, _ place: String) throws {
        let cases = type.cases ?? []
        let known = cases.map(\.key).joined(separator: ", ")
        try expect([.map], in: reader, "a \(type.name), an object with one of \(known)", place)
        guard try reader.readMapHeader() == 1 else {
            throw Mistake(message: "\(place) has not exactly one of the cases \(known)")
        }
        let key = try reader.readString()
        guard let found = cases.first(where: { $0.key == key }) else {
            throw Mistake(
                message: "\(place).\(key) is not a case of \(type.name), which has \(known)")
        }
        try checkFields(&reader, found.fields ?? [], of: "\(type.name).\(key)", "\(place).\(key)")
    }

    private func checkRaw(_ reader: inout CBORReader, _ type: TypeSchema, _ place: String) throws {
        let raw = type.raw ?? ""
        let item = try reader.rawItem()
        var again = CBORReader(item)
        try checkScalar(&again, raw, place)
        guard let values = type.cases?.compactMap(\.value), !values.isEmpty else { return }
        var inner = CBORReader(item)
        let text =
            switch inner.peekType() {
            case .text: try inner.readString()
            case .unsigned, .negative: "\(try inner.readInteger(Int64.self))"
            default: values[0]
            }
        guard values.contains(text) else {
            throw Mistake(
                message: "\(place) is none of the values of \(type.name): "
                    + values.joined(separator: ", "))
        }
    }

    private func expect(
        _ wanted: Set<CBORReader.ItemType>, in reader: CBORReader, _ words: String,
        _ place: String
    ) throws {
        guard let found = reader.peekType(), wanted.contains(found) else {
            throw Mistake(message: "\(place) is not \(words)")
        }
    }
}
