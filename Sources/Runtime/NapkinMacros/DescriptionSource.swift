// DescriptionSource: generates the code that describes a type for schemas.
//
// Spec       Protocol/SPEC.md, section 13 (Schema)
//
// It consists of statements: the compiler would take long to check one large literal.

import SwiftSyntax

extension Message {
    /// Adds the type's name, and its fields or cases. `name` includes the types around it.
    func addDescription(as name: String, to source: inout Source) {
        if hasCoding { source.line() }
        source.line("\(access)static func describe(")
        source.indented { $0.line("in types: inout \(Qualified.catalog)") }
        source.block(") -> Swift.String") {
            $0.block("types.describe(Self.self, as: \(name.literal))") {
                $0.line("type in")
                addShape(to: &$0)
            }
        }
    }

    private var hasCoding: Bool {
        if case .rawValue = shape { false } else { true }
    }

    private func addShape(to source: inout Source) {
        switch shape {
        case .structure(let fields):
            source.line("type.structure()")
            source.addFields(fields)
        case .choice(let choices):
            for choice in choices {
                source.line("type.choice(\(choice.key.literal))")
                source.addFields(choice.fields)
            }
        case .rawValue(let cases):
            source.line("type.raw(Self.RawValue.self)")
            for name in cases {
                source.line("type.value(\(name.bare.literal), Self.\(name).rawValue)")
            }
        }
    }
}

extension String {
    /// The type with this text, as schemas describe it. One of Foundation must cross as the text
    /// that every tool reads: otherwise each end's choice would depend on what it is linked with.
    fileprivate var described: String {
        let words = split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let isFoundations = words.contains("Date") || words.contains("URL")
        return isFoundations
            ? "\(Qualified.coding).importingNapkinFoundation(\(self).self)" : "\(self).self"
    }
}

extension Source {
    /// A constant is left out: it is written and never read.
    fileprivate mutating func addFields(_ fields: [Field]) {
        for field in fields where !field.isConstant {
            let hasDefault = field.substitute == nil ? "" : ", hasDefault: true"
            line("type.field(\(field.key.literal), \(field.typeText.described)\(hasDefault))")
        }
    }
}

extension Crossing {
    /// Adds the crossing's methods, with the types that they use.
    func addDescription(to source: inout Source) {
        source.line("\(access)static func describe(")
        source.indented { $0.line("in types: inout \(Qualified.catalog)") }
        source.block(") -> \(Qualified.core).CrossingSchema") {
            guard !methods.isEmpty else {
                $0.line("\(Qualified.core).CrossingSchema(name: \(name.literal), methods: [])")
                return
            }
            $0.line("var schema = \(Qualified.core).CrossingSchema(")
            $0.indented { $0.line("name: \(name.literal), methods: [])") }
            for method in methods { $0.addDescription(of: method) }
            $0.line("return schema")
        }
    }
}

extension Source {
    fileprivate mutating func addDescription(of method: Method) {
        line("schema.add(\(method.key.literal), .\(method.delivery))")
        for parameter in method.parameters {
            let type = "types.name(of: \(parameter.type.trimmedDescription.described))"
            line("schema.takes(\(parameter.label.literal), \(parameter.name.literal), \(type))")
        }
        if let result = method.result {
            line("schema.returns(types.name(of: \(result.trimmedDescription.described)))")
        }
        if let error = method.error {
            line("schema.throws(types.name(of: \(error.trimmedDescription).self))")
        } else if method.isThrowing {
            line("schema.throws()")
        }
    }
}
