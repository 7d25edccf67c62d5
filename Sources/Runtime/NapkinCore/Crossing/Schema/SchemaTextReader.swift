// SchemaTextReader: reads a schema from its text.
//
// Layer      core vocabulary. Pure: no text can trap here.
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// The reason why a text is not a schema.
package struct SchemaTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line's number, counted from 1.
    package var line: Int
    package var message: String

    package var description: String { "line \(line): \(message)" }
}

extension SchemaText {
    /// Parses the output of `text(of:)`. Ignores blank lines and lines that begin with `#`.
    package static func schema(from text: String) throws(SchemaTextError) -> AppSchema {
        var reader = SchemaTextReader()
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            if line.hasPrefix("#") || line.allSatisfy({ $0 == " " }) { continue }
            guard let parts = SchemaLine(line) else {
                throw SchemaTextError(
                    line: number, message: "this is indented by neither 0, 2 nor 4 spaces")
            }
            if let problem = reader.read(parts) {
                throw SchemaTextError(line: number, message: problem)
            }
        }
        guard let schema = reader.schema else {
            throw SchemaTextError(line: number, message: "there is no line 'app NAME'")
        }
        return schema
    }
}

/// A line: its level and its two columns.
private struct SchemaLine {
    var level: Int
    var left: String
    var right: String

    init?(_ line: Substring) {
        let indent = line.prefix { $0 == " " }.count
        guard [0, 2, 4].contains(indent) else { return nil }
        level = indent / 2
        let rest = line.dropFirst(indent)
        let end = Self.endOfColumn(rest)
        left = String(rest[..<end])
        right = String(rest[end...].drop { $0 == " " })
        while right.last == " " { right.removeLast() }
    }

    /// Returns where the first two spaces outside quotes begin.
    private static func endOfColumn(_ text: Substring) -> String.Index {
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case " " where !isQuoted && text[index...].hasPrefix("  "): return index
            default: break
            }
        }
        return text.endIndex
    }

    /// Splits the left column into its first word and the rest.
    var heading: (word: Substring, rest: String) {
        let word = left.prefix { $0 != " " }
        return (word, String(left.dropFirst(word.count + 1)))
    }
}

extension FieldSchema {
    /// Parses the second column: the type and, perhaps, the mark of a default.
    fileprivate init(_ key: String, _ column: String) {
        let hasDefault = column.hasSuffix(SchemaText.byDefault)
        self.init(
            key: key,
            type: hasDefault ? String(column.dropLast(SchemaText.byDefault.count)) : column,
            hasDefault: hasDefault ? true : nil)
    }
}

/// Builds a schema from lines; each `read` reports the mistake in its line.
private struct SchemaTextReader {
    private enum Block { case none, feature, state, type }

    var schema: AppSchema? {
        app.map {
            AppSchema(
                app: $0, features: features, types: types, states: states.isEmpty ? nil : states)
        }
    }

    private var app: String?
    private var features: [FeatureSchema] = []
    private var types: [TypeSchema] = []
    private var states: [DurableSchema] = []
    private var block = Block.none
    /// Whether the last method belongs to the presentable, not to the listener.
    private var presents = true

    mutating func read(_ line: SchemaLine) -> String? {
        guard app != nil || line.heading.word == "app" else {
            return "the first line is 'app NAME'"
        }
        switch (line.level, block) {
        case (0, _): return readHeading(line)
        case (1, .feature): return readMethod(line)
        case (2, .feature): return readParameter(line)
        case (1, .state): return readMigration(line)
        case (1, .type): return readMember(line)
        case (2, .type): return readValue(line)
        default: return "'\(line.left)' belongs to nothing"
        }
    }

    private mutating func readHeading(_ line: SchemaLine) -> String? {
        let (word, name) = line.heading
        let kinds: [Substring: TypeSchema.Kind] = [
            "struct": .structure, "enum": line.right.isEmpty ? .choice : .raw, "raw": .raw,
            "opaque": .opaque,
        ]
        if name.isEmpty { return "'\(word)' needs a name" }
        if word == "app" {
            if app != nil { return "there is one app in a file" }
            app = unquoted(name)
        } else if word == "feature" {
            features.append(FeatureSchema(feature: unquoted(name), presents: [], listens: []))
            block = .feature
        } else if word == "durable" {
            states.append(DurableSchema(state: name))
            block = .state
        } else if let kind = kinds[word] {
            var type = TypeSchema(name: name, kind: kind)
            if kind == .structure { type.fields = [] }
            if word == "enum" { type.cases = [] }
            if kind == .raw { type.raw = line.right }
            types.append(type)
            block = .type
        } else {
            return "'\(word)' is none of app, feature, durable, struct, enum, raw and opaque"
        }
        return nil
    }

    private mutating func readMigration(_ line: SchemaLine) -> String? {
        guard line.left == "migrates from", !line.right.isEmpty, let last = states.indices.last
        else { return "'\(line.left)' is not 'migrates from', with a type" }
        states[last].migratesFrom.append(line.right)
        return nil
    }

    private mutating func readMethod(_ line: SchemaLine) -> String? {
        guard let last = features.indices.last else { return nil }
        if line.left == "arguments" {
            features[last].arguments = line.right
            return nil
        }
        let (word, key) = line.heading
        guard let delivery = DeliveryClass(rawValue: String(word)), !key.isEmpty else {
            return "'\(line.left)' is none of arguments, state, effect, log, event and ask"
        }
        let throwing = line.right.split(separator: " ", maxSplits: 1)
        guard throwing.isEmpty || throwing[0] == "throws" else {
            return "'\(line.right)' is not 'throws'"
        }
        let method = MethodSchema(
            key: key, delivery: delivery, isThrowing: !throwing.isEmpty,
            error: throwing.dropFirst().first.map(String.init))
        presents = delivery != .event
        if presents {
            features[last].presents.append(method)
        } else {
            features[last].listens.append(method)
        }
        return nil
    }

    private mutating func readParameter(_ line: SchemaLine) -> String? {
        guard let last = features.indices.last else { return nil }
        if line.right.isEmpty { return "'\(line.left)' has no type" }
        let list: WritableKeyPath<FeatureSchema, [MethodSchema]> = presents ? \.presents : \.listens
        guard let method = features[last][keyPath: list].indices.last else {
            return "'\(line.left)' belongs to no method"
        }
        if line.left == "->" {
            features[last][keyPath: list][method].result = line.right
            return nil
        }
        let (label, name) = line.heading
        features[last][keyPath: list][method].parameters.append(
            ParameterSchema(
                label: String(label), name: name.isEmpty ? String(label) : name,
                type: line.right))
        return nil
    }

    private mutating func readMember(_ line: SchemaLine) -> String? {
        guard let last = types.indices.last else { return nil }
        let key = unquoted(line.left)
        switch types[last].kind {
        case .structure:
            if line.right.isEmpty { return "field '\(key)' has no type" }
            types[last].fields?.append(FieldSchema(key, line.right))
        case .choice: types[last].cases?.append(CaseSchema(key: key))
        case .raw where types[last].cases != nil:
            let value = unquoted(line.right)
            types[last].cases?.append(CaseSchema(key: key, value: value))
        default: return "'\(line.left)' is in a type that has no parts"
        }
        return nil
    }

    private mutating func readValue(_ line: SchemaLine) -> String? {
        guard let last = types.indices.last, types[last].kind == .choice,
            let index = types[last].cases?.indices.last
        else { return "'\(line.left)' belongs to no case" }
        if line.right.isEmpty { return "value '\(line.left)' has no type" }
        let field = FieldSchema(unquoted(line.left), line.right)
        let fields = (types[last].cases?[index].fields ?? []) + [field]
        types[last].cases?[index].fields = fields
        return nil
    }

    /// Reverses `SchemaText.word`.
    private func unquoted(_ text: String) -> String {
        guard text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 else { return text }
        var result = ""
        var rest = text.dropFirst().dropLast()
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                result.append(character)
                continue
            }
            guard next == "u", rest.first == "{", let end = rest.firstIndex(of: "}"),
                let number = UInt32(rest[..<end].dropFirst(), radix: 16),
                let scalar = Unicode.Scalar(number)
            else {
                result.append(next)
                continue
            }
            result.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: end)...]
        }
        return result
    }
}
