// MessageSource: generates the direct coding of a message.
//
// Layer      compile time only.
// Isolation  value
// Invariant  the bytes are those of synthesized `Codable`: NapkinCrossingTests compares them.

import SwiftSyntax

extension Message {
    func addCoding(to source: inout Source) {
        switch shape {
        case .rawValue: return
        case .structure(let fields) where fields.count > Self.fieldsMax: addContainers(to: &source)
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

    private func addContainers(to source: inout Source) {
        addEncode(to: &source) { $0.line("try writer.encodeContainers(self)") }
        addDecode(to: &source) { $0.line("self = try reader.decodeContainers(Self.self)") }
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
            $0.addReads(fields, of: name)
            for (index, field) in fields.enumerated() where !field.isConstant {
                $0.line("self.\(field.name) = \(field.local(index))")
            }
        }
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
        addDecode(to: &source) {
            $0.line("var cases = try reader.beginMap()")
            $0.line("var decoded: Self? = nil")
            $0.block("repeat", tail: " while try reader.continueMap(&cases)") {
                for choice in choices {
                    $0.block("if try reader.matchCase(\(choice.key.literal), &cases)") {
                        $0.addReads(choice.fields, of: "\(name).\(choice.name.bare)")
                        $0.line("decoded = \(choice.construction)")
                    }
                }
            }
            $0.line(
                "guard let decoded else { throw reader.unknownCase(of: \(name.literal)) }")
            $0.line("self = decoded")
        }
    }
}

extension Field {
    /// The place of the decoded value, once it is known to be there.
    func local(_ index: Int) -> String {
        isOptional ? "f\(index)" : "v\(index)"
    }
}

extension Choice {
    var pattern: String {
        guard !fields.isEmpty else { return ".\(name)" }
        return ".\(name)(\(fields.map { "let \($0.name)" }.joined(separator: ", ")))"
    }

    /// `Self` instead of a leading dot: a case may be called `none`, and `decoded` is an optional.
    var construction: String {
        guard !fields.isEmpty else { return "Self.\(name)" }
        let values = fields.indices.map { index in
            let value = fields[index].local(index)
            return labels[index].map { "\($0.asLabel): \(value)" } ?? value
        }
        return "Self.\(name)(\(values.joined(separator: ", ")))"
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

    /// Reads a map of `fields` into `f0`…; the required values are then in `v0`….
    mutating func addReads(_ fields: [Field], of type: String) {
        guard !fields.isEmpty else {
            line("try reader.skipMap()")
            return
        }
        line("var fields = try reader.beginMap()")
        for (index, field) in fields.enumerated() where !field.isConstant {
            line("var f\(index): \(field.typeText)\(field.isOptional ? "" : "?") = nil")
        }
        block("repeat", tail: " while try reader.continueMap(&fields)") {
            for (index, field) in fields.enumerated() {
                let match = "if try reader.matchField(\(field.key.literal), \(index), &fields)"
                $0.block(match) {
                    $0.line(
                        field.isConstant
                            ? "try reader.skip()"
                            : "f\(index) = try reader.read(\(field.typeText).self)")
                }
            }
        }
        for (index, field) in fields.enumerated() where !field.isConstant && !field.isOptional {
            let missing = "reader.missingField(\(field.key.literal), of: \(type.literal))"
            line("guard let v\(index) = f\(index) else { throw \(missing) }")
        }
    }
}
