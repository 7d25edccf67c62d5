// StructInspection: inspects the stored properties of a message.

import SwiftParser
import SwiftSyntax

enum StructInspection {
    /// A stored property, before its key is known.
    struct Property {
        var field: Field
        var node: Syntax
    }

    /// Returns the stored properties, in the order in which they are written.
    static func properties(
        of declaration: some DeclGroupSyntax, _ refusals: inout MacroDiagnostics
    ) -> [Property] {
        var properties: [Property] = []
        for member in declaration.memberBlock.members {
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                refusals.refuse(
                    conditional, "conditionalField",
                    "a message has the same fields on both sides; move '#if' out of it")
            } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                addProperties(of: variable, to: &properties, &refusals)
            }
        }
        return properties
    }

    /// Returns the properties that are coded, with their keys.
    static func inspect(
        _ declaration: some DeclGroupSyntax, _ refusals: inout MacroDiagnostics
    ) -> [Field] {
        let properties = properties(of: declaration, &refusals)
        guard let chosen = CodingKeysInspection.inspect(declaration, &refusals) else {
            return properties.map(\.field)
        }
        for property in properties where property.field.defaultValue == nil {
            let name = property.field.name
            guard chosen.key(of: name.bare) == nil else { continue }
            refusals.refuse(
                property.node, "fieldWithoutKey",
                "'\(name)' is not in 'CodingKeys', so it needs a default value; write "
                    + "'case \(name)' there or the default here")
        }
        return chosen.keys.compactMap { name, key in
            var field = properties.first { $0.field.name.bare == name }?.field
            field?.key = key
            return field
        }
    }

    static func hasInitializer(_ declaration: some DeclGroupSyntax) -> Bool {
        declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
    }

    /// Returns the labels of the memberwise initializer, Swift's or `@Message`'s; nil if there is
    /// none, or if it may leave out a private property.
    static func memberwise(of declaration: some DeclGroupSyntax) -> [String]? {
        let hasPrivate = declaration.memberBlock.members.contains { member in
            member.decl.as(VariableDeclSyntax.self)?.modifiers.contains {
                ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
            } ?? false
        }
        guard declaration.is(StructDeclSyntax.self), !hasPrivate, !hasInitializer(declaration)
        else { return nil }
        var refusals = MacroDiagnostics()
        return properties(of: declaration, &refusals).filter { !$0.field.isConstant }
            .map(\.field.name)
    }

    private static func addProperties(
        of variable: VariableDeclSyntax, to properties: inout [Property],
        _ refusals: inout MacroDiagnostics
    ) {
        let notStored: Set<String> = ["static", "class", "lazy"]
        if variable.modifiers.contains(where: { notStored.contains($0.name.text) }) { return }
        let bindings = Array(variable.bindings)
        let isLet = variable.bindingSpecifier.tokenKind == .keyword(.let)
        // `var a, b: Int`: a type also applies to the names before it that have none.
        var type: TypeSyntax?
        var found: [Property] = []
        for binding in bindings.reversed() {
            if binding.typeAnnotation != nil || binding.initializer != nil {
                type = binding.typeAnnotation?.type ?? binding.initializer?.value.literalType
            }
            guard binding.isStored else { continue }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else {
                refusals.refuse(
                    binding.pattern, "patternField",
                    "write one stored property at a time, each with its type")
                continue
            }
            let isConstant = isLet && binding.initializer != nil
            if type == nil && !isConstant {
                refusals.refuse(
                    binding.pattern, "fieldWithoutType",
                    "write the type of '\(name)': '@Message' cannot see an inferred one")
                continue
            }
            var field = Field(name: name, key: name.bare, type: type, isConstant: isConstant)
            let isNil = field.isOptional && !isLet && type?.baseName == nil
            field.defaultValue =
                binding.initializer?.value.trimmedDescription ?? (isNil ? "nil" : nil)
            found.append(Property(field: field, node: Syntax(binding.pattern)))
        }
        guard !found.isEmpty else { return }
        properties += found.reversed()
        refuseWrapper(variable, &refusals)
    }

    private static func refuseWrapper(
        _ variable: VariableDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        let harmless: Set<String> = ["available", "usableFromInline", "inlinable"]
        for case .attribute(let attribute) in variable.attributes {
            let name = attribute.attributeName.trimmedDescription
            guard !harmless.contains(name) else { continue }
            refusals.refuse(
                attribute, "wrappedField",
                "'@Message' cannot see what '@\(name)' makes of this property; remove it, or "
                    + "remove '@Message' and conform to 'Codable & Sendable'")
        }
    }
}

extension ExprSyntax {
    /// The type that Swift infers from a literal; nil for any other expression.
    fileprivate var literalType: TypeSyntax? {
        let name: String
        switch self.as(PrefixOperatorExprSyntax.self)?.expression.kind ?? kind {
        case .booleanLiteralExpr: name = "Bool"
        case .integerLiteralExpr: name = "Int"
        case .floatLiteralExpr: name = "Double"
        case .stringLiteralExpr: name = "String"
        default: return nil
        }
        return TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))
    }
}

extension PatternBindingSyntax {
    /// Whether the binding has storage: no accessors but observers.
    var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}

/// The cases of a type's `CodingKeys` in their order, which is the order of the encoding.
struct ChosenKeys {
    var keys: [(name: String, key: String)]

    func key(of name: String) -> String? { keys.first { $0.name == name }?.key }
}

enum CodingKeysInspection {
    /// Returns the keys; nil if there are none, or if they were refused.
    static func inspect(
        _ declaration: some DeclGroupSyntax, _ refusals: inout MacroDiagnostics
    ) -> ChosenKeys? {
        for member in declaration.memberBlock.members {
            if let keys = member.decl.as(EnumDeclSyntax.self), keys.name.text == "CodingKeys" {
                return inspect(keys, &refusals)
            }
            let named = member.decl.asProtocol((any NamedDeclSyntax).self)
            if named?.name.text == "CodingKeys" {
                refuse(member.decl, &refusals)
                return nil
            }
        }
        return nil
    }

    private static func inspect(_ keys: EnumDeclSyntax, _ refusals: inout MacroDiagnostics)
        -> ChosenKeys?
    {
        let first = keys.inheritanceClause?.inheritedTypes.first?.type.baseName
        guard first == "String" || first == "CodingKey" else {
            refuse(keys, &refusals)
            return nil
        }
        var chosen = ChosenKeys(keys: [])
        for member in keys.memberBlock.members {
            guard let cases = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
            for element in cases.elements {
                let name = element.name.text.bare
                guard let value = element.rawValue?.value else {
                    chosen.keys.append((name, name))
                    continue
                }
                let literal = value.as(StringLiteralExprSyntax.self)
                guard let text = literal?.representedLiteralValue else {
                    refuse(value, &refusals)
                    return nil
                }
                chosen.keys.append((name, text))
            }
        }
        return chosen
    }

    private static func refuse(_ node: some SyntaxProtocol, _ refusals: inout MacroDiagnostics) {
        refusals.refuse(
            node, "unusualCodingKeys",
            "'@Message' reads 'enum CodingKeys: String, CodingKey' with plain string literals "
                + "only; write them that way, or remove '@Message' and conform to "
                + "'Codable & Sendable'")
    }
}
