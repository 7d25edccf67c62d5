// MessageSource: generates the direct coding of a message.
//
// Invariant  the bytes are those of synthesized `Codable`: RuntimeTests/Crossing compares them.

import SwiftSyntax

extension Message {
    func addCoding(to source: inout Source) {
        switch shape {
        case .rawValue: return
        case .structure(let fields) where fields.count > Self.fieldsMax:
            addContainers(of: fields, to: &source)
        case .structure(let fields): addCoding(of: fields, to: &source)
        case .choice(let choices): addCoding(of: choices, to: &source)
        }
    }

    private func addEncode(to source: inout Source, _ body: (inout Source) -> Void) {
        source.line("\(access)func encode(")
        source.indented { $0.line("into writer: inout \(Qualified.writer)") }
        source.block(") throws(\(Qualified.error))", body)
    }

    private func addDecode(to source: inout Source, _ body: (inout Source) -> Void) {
        source.line()
        source.line("\(access)init(")
        source.indented { $0.line("from reader: inout \(Qualified.reader)") }
        source.block(") throws(\(Qualified.error))", body)
    }

    private func addContainers(of fields: [Field], to source: inout Source) {
        addEncode(to: &source) { $0.line("try writer.encodeContainers(self)") }
        addDecode(to: &source) { $0.line("self = try reader.decodeContainers(Self.self)") }
        // The synthesized initializer throws where a key is missing.
        guard fields.contains(where: { $0.substitute != nil }) else { return }
        source.line()
        source.block("\(access)init(from decoder: any Swift.Decoder) throws") {
            $0.line("let fields = try decoder.container(keyedBy: CodingKeys.self)")
            for (index, field) in fields.enumerated() where !field.isConstant {
                $0.addReadOfContainer(field, index)
            }
            addConstruction(of: fields, from: fields.values(optionals: "v"), to: &$0)
        }
    }

    private func addCoding(of fields: [Field], to source: inout Source) {
        addEncode(to: &source) {
            $0.addWrites(
                fields.map {
                    var field = $0
                    field.name = "self.\($0.name)"
                    return field
                })
        }
        addDecode(to: &source) {
            $0.addReads(fields, of: name, exit: "return") { source, values in
                addConstruction(of: fields, from: values, to: &source)
            }
        }
    }

    /// Uses the memberwise initializer if there is one: in any other, a property that is nil at
    /// first is assigned twice, and a struct of more than six words is copied (measured).
    private func addConstruction(
        of fields: [Field], from values: [String], to source: inout Source
    ) {
        let taken = zip(fields, values).filter { !$0.0.isConstant }
        guard let memberwise, !taken.isEmpty else {
            for (field, value) in taken { source.line("self.\(field.name) = \(value)") }
            return
        }
        let arguments = memberwise.compactMap { name in
            taken.first { $0.0.name == name }.map { "\(name.bare.asLabel): \($0.1)" }
        }
        source.line("self.init(\(arguments.joined(separator: ", ")))")
    }

    private func addCoding(of choices: [Choice], to source: inout Source) {
        addEncode(to: &source) {
            $0.line("writer.writeMapHeader(1)")
            $0.choose("self") {
                for choice in choices {
                    $0.line("case \(choice.pattern):")
                    $0.indented {
                        $0.line("writer.writeKey(\(choice.key.literal))")
                        $0.addWrites(choice.fields)
                    }
                }
            }
        }
        let keys = choices.map(\.key).literal
        addDecode(to: &source) {
            $0.line("var cases = try reader.beginMap()")
            $0.line("let index: Swift.Int")
            for (index, choice) in choices.enumerated() {
                let match = "if reader.matchCase(\(choice.key.literal), &cases) {"
                $0.line((index == 0 ? "" : "} else ") + match)
                $0.indented { $0.line("index = \(index)") }
            }
            $0.block("} else") {
                $0.line("(index, cases) = try reader.findCase(\(keys), of: \(name.literal), cases)")
            }
            $0.choose("index", label: "decoding") {
                for (index, choice) in choices.enumerated() {
                    $0.line(index < choices.count - 1 ? "case \(index):" : "default:")
                    $0.indented { addPayload(of: choice, to: &$0) }
                }
            }
            $0.line("try reader.endCases(\(keys), cases)")
        }
    }

    private func addPayload(of choice: Choice, to source: inout Source) {
        let type = "\(name).\(choice.name.bare)"
        source.addReads(choice.fields, of: type, exit: "break decoding") { source, values in
            source.line("self = \(choice.construction(from: values))")
        }
    }
}

extension [String] {
    /// The texts as an array literal.
    fileprivate var literal: String { "[\(map(\.literal).joined(separator: ", "))]" }
}

extension Choice {
    var pattern: String {
        guard !fields.isEmpty else { return ".\(name)" }
        return ".\(name)(\(fields.map { "let \($0.name)" }.joined(separator: ", ")))"
    }

    func construction(from values: [String]) -> String {
        guard !fields.isEmpty else { return "Self.\(name)" }
        let arguments = zip(labels, values).map { label, value in
            label.map { "\($0.asLabel): \(value)" } ?? value
        }
        return "Self.\(name)(\(arguments.joined(separator: ", ")))"
    }
}

extension Source {
    /// Writes a map of `fields`, whose names are expressions.
    mutating func addWrites(_ fields: [Field]) {
        let required = fields.filter { !$0.isOptional }.count
        let optional = fields.filter(\.isOptional).map { "(\($0.name) == nil ? 0 : 1)" }
        let terms = (required == 0 && !optional.isEmpty ? [] : ["\(required)"]) + optional
        line("writer.writeMapHeader(\(terms.joined(separator: " + ")))")
        for field in fields {
            guard field.isOptional else {
                line("writer.writeKey(\(field.key.literal))")
                line("try writer.write(\(field.name))")
                continue
            }
            block("if let value = \(field.name)") {
                $0.line("writer.writeKey(\(field.key.literal))")
                $0.line("try writer.write(value)")
            }
        }
    }

    /// Reads a map of `fields`, then runs the code of `construct`, which receives the expression of
    /// each value. `construct` is called twice: for a map in the order of declaration, which then
    /// goes to `exit`, and for any other map.
    mutating func addReads(
        _ fields: [Field], of type: String, exit: String,
        _ construct: (inout Source, [String]) -> Void
    ) {
        guard !fields.isEmpty else {
            line("try reader.skipMap()")
            construct(&self, [])
            return
        }
        line("var fields = try reader.beginMap()")
        for (index, field) in fields.enumerated() where !field.isConstant {
            line("var f\(index): \(field.typeText)\(field.isOptional ? "" : "?") = nil")
        }
        let required = fields.filter { !$0.isOptional }.count
        block("inOrder: if fields.mayHave(\(required))") {
            for (index, field) in fields.enumerated() { $0.addReadInOrder(field, index) }
            $0.line("guard reader.endMap(fields) else { break inOrder }")
            construct(&$0, fields.values(optionals: "f"))
            $0.line(exit)
        }
        addReadsInAnyOrder(fields, of: type)
        construct(&self, fields.values(optionals: "r"))
    }

    fileprivate mutating func addReadOfContainer(_ field: Field, _ index: Int) {
        let read = "try fields.decode(\(field.typeText).self, forKey: .\(field.name))"
        let missing = field.isOptional ? "nil" : field.substitute
        let value = missing.map { "fields.contains(.\(field.name)) ? \(read) : (\($0))" } ?? read
        line("let v\(index): \(field.typeText) = \(value)")
    }

    private mutating func addReadInOrder(_ field: Field, _ index: Int) {
        let match = "reader.matchField(\(field.key.literal), \(index), &fields)"
        if field.isOptional {
            block("if \(match)") { $0.line(field.read(into: "f\(index)")) }
            return
        }
        line("guard \(match) else { break inOrder }")
        line(field.read(into: "let v\(index)"))
        // For `readRest`, if a later key is not the expected one.
        if !field.isConstant { line("f\(index) = v\(index)") }
    }

    /// Reads the rest of the map into `r0`…; the required values are then in `v0`….
    private mutating func addReadsInAnyOrder(_ fields: [Field], of type: String) {
        // Copies, so that the values need no memory if the map is in order.
        for (index, field) in fields.enumerated() where !field.isConstant {
            line("var r\(index) = f\(index)")
        }
        block("try reader.readRest(fields, \(fields.map(\.key).literal))") {
            $0.line("index, reader throws(\(Qualified.error)) in")
            $0.choose("index") {
                for (index, field) in fields.enumerated() {
                    $0.line(index < fields.count - 1 ? "case \(index):" : "default:")
                    $0.indented { $0.line(field.read(into: "r\(index)")) }
                }
            }
        }
        for (index, field) in fields.enumerated() where !field.isConstant && !field.isOptional {
            if let substitute = field.substitute {
                line("let v\(index): \(field.typeText) = r\(index) ?? (\(substitute))")
                continue
            }
            let missing = "reader.missingField(\(field.key.literal), of: \(type.literal))"
            line("guard let v\(index) = r\(index) else { throw \(missing) }")
        }
    }
}

extension Field {
    /// Reads the value into `place`; skips that of a constant.
    fileprivate func read(into place: String) -> String {
        isConstant ? "try reader.skip()" : "\(place) = try reader.read(\(typeText).self)"
    }
}

extension [Field] {
    /// The expression of each field's value; `optionals` is the prefix of those that may be nil.
    fileprivate func values(optionals: String) -> [String] {
        enumerated().map { "\($1.isOptional ? optionals : "v")\($0)" }
    }
}
