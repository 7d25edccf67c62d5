// SchemaText: a schema as text in two columns, for people, for a lock file and for the hash.
//
// Invariant  one schema has one text: features, methods and types are sorted by their names.
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// Writes and reads schemas as text.
///
/// Each declaration has one line, indented by two spaces for each level, in two columns. The second
/// column begins after `columnWidth` scalars and at least two spaces.
///
/// ```
/// feature rib-house.pit-board
///   state present(sections:)
///     sections                    [PitSection]
///   event didTapBack()
///
/// enum PitItem.Stage              String
///   lighting                      "lighting"
/// ```
package enum SchemaText {
    /// The first column's width in Unicode scalars. Chosen: most names fit.
    static let columnWidth = 32
    /// The text after the type of a field that has a default.
    static let byDefault = " = default"

    /// Returns an app's schema as text: the app, its features, its durable states,
    /// then their types.
    package static func text(of schema: AppSchema) -> String {
        var blocks = [["app \(word(schema.app))"]]
        blocks += sorted(schema.features, by: \.feature).map(featureLines)
        blocks += sorted(schema.states ?? [], by: \.state).map { state in
            [line(0, "durable \(state.state)")]
                + state.migratesFrom.map { line(1, "migrates from", $0) }
        }
        blocks += typeBlocks(schema.types)
        return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    /// Returns a feature's schema with its types, without blank lines.
    static func lines(of schema: FeatureSchema) -> [String] {
        featureLines(schema) + typeBlocks(schema.types ?? []).flatMap(\.self)
    }

    private static func featureLines(_ schema: FeatureSchema) -> [String] {
        var lines = ["feature \(word(schema.feature))"]
        if let arguments = schema.arguments { lines.append(line(1, "arguments", arguments)) }
        for method in sorted(schema.presents, by: \.key) + sorted(schema.listens, by: \.key) {
            let left = "\(method.delivery.rawValue) \(method.key)"
            let error = method.error.map { " \($0)" } ?? ""
            lines.append(line(1, left, method.isThrowing ? "throws\(error)" : ""))
            for parameter in method.parameters {
                let name =
                    parameter.label == parameter.name
                    ? parameter.name : "\(parameter.label) \(parameter.name)"
                lines.append(line(2, name, parameter.type))
            }
            if let result = method.result { lines.append(line(2, "->", result)) }
        }
        return lines
    }

    private static func typeBlocks(_ types: [TypeSchema]) -> [[String]] {
        sorted(types, by: \.name).map { type in
            switch type.kind {
            case .structure: return [line(0, "struct \(type.name)")] + fieldLines(1, type.fields)
            case .choice:
                return [line(0, "enum \(type.name)")]
                    + (type.cases ?? []).flatMap {
                        [line(1, word($0.key))] + fieldLines(2, $0.fields)
                    }
            case .raw:
                let heading = type.cases == nil ? "raw" : "enum"
                return [line(0, "\(heading) \(type.name)", type.raw ?? "")]
                    + (type.cases ?? []).map { line(1, word($0.key), quoted($0.value ?? "")) }
            default: return [line(0, "opaque \(type.name)")]
            }
        }
    }

    private static func fieldLines(_ level: Int, _ fields: [FieldSchema]?) -> [String] {
        (fields ?? []).map { field in
            line(level, word(field.key), field.type + (field.hasDefault == true ? byDefault : ""))
        }
    }

    private static func line(_ level: Int, _ left: String, _ right: String = "") -> String {
        let left = String(repeating: "  ", count: level) + left
        guard !right.isEmpty else { return left }
        let gap = max(2, columnWidth - left.unicodeScalars.count)
        return left + String(repeating: " ", count: gap) + right
    }

    /// Sorts by Unicode scalars, which is the order of the bytes in UTF-8. `String` compares by
    /// canonical equivalence, which other languages do not have.
    static func sorted<T>(_ things: [T], by name: (T) -> String) -> [T] {
        things.sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
    }

    /// Returns a name as it is, or in quotes if it could be taken for something else.
    static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
