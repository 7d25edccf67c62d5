// MessageInspection: the rules of a type marked `@Message`.

import SwiftDiagnostics
import SwiftSyntax

enum MessageInspection {
    /// Parses the type, or says in `refusals` why it cannot.
    static func inspect(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
        lexicalContext: [Syntax], _ refusals: inout MacroDiagnostics
    ) -> Message? {
        let generics: GenericParameterClauseSyntax?
        let name: TokenSyntax
        if let structure = declaration.as(StructDeclSyntax.self) {
            (name, generics) = (structure.name, structure.genericParameterClause)
        } else if let choice = declaration.as(EnumDeclSyntax.self) {
            (name, generics) = (choice.name, choice.genericParameterClause)
        } else {
            refusals.refuse(
                attribute, "notAValue",
                "'@Message' goes on a struct or an enum: a message is a value, and no reference "
                    + "crosses")
            return nil
        }
        if let generics {
            refusals.refuse(
                generics, "genericMessage",
                "a message cannot be generic; write one type for each use, or conform to "
                    + "'Codable & Sendable' without '@Message'")
        }
        refuseOwnCoding(in: declaration, &refusals)
        let access = access(of: declaration, lexicalContext, &refusals)
        let shape: Message.Shape?
        if let choice = declaration.as(EnumDeclSyntax.self) {
            shape = EnumInspection.inspect(choice, &refusals)
        } else if inherits(declaration, ["RawRepresentable", "OptionSet"]) {
            shape = .rawValue(cases: [])
        } else {
            var fields = StructInspection.inspect(declaration, &refusals)
            if inherits(declaration, ["MandatoryFields"]) {
                for index in fields.indices { fields[index].defaultValue = nil }
            }
            shape = .structure(fields)
        }
        return shape.map { shape in
            Message(
                name: name.text.bare, access: access, shape: shape,
                memberwise: StructInspection.memberwise(of: declaration))
        }
    }

    static func inherits(_ declaration: some DeclGroupSyntax, _ names: Set<String>) -> Bool {
        declaration.inheritanceClause?.inheritedTypes.contains {
            $0.type.baseName.map(names.contains) ?? false
        } ?? false
    }

    private static func access(
        of declaration: some DeclGroupSyntax, _ lexicalContext: [Syntax],
        _ refusals: inout MacroDiagnostics
    ) -> String {
        let isPrivate = { (modifier: DeclModifierSyntax) in
            modifier.name.tokenKind == .keyword(.private)
        }
        if let modifier = declaration.modifiers.first(where: isPrivate), !lexicalContext.isEmpty {
            var wider = modifier
            wider.name.tokenKind = .keyword(.fileprivate)
            refusals.refuse(
                modifier, "privateMessage",
                "generated code stands outside the type around this one and cannot see "
                    + "'private'; write 'fileprivate'",
                [.replacing(modifier, by: wider, "write 'fileprivate'")])
        }
        return declaration.outwardModifier(in: lexicalContext).map { $0.name.text + " " } ?? ""
    }

    /// A coding written by hand and a generated one would produce different bytes.
    private static func refuseOwnCoding(
        in declaration: some DeclGroupSyntax, _ refusals: inout MacroDiagnostics
    ) {
        for member in declaration.memberBlock.members {
            let parameters: FunctionParameterListSyntax
            var isCoding = false
            if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                parameters = initializer.signature.parameterClause.parameters
                isCoding = parameters.first?.firstName.text == "from"
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                parameters = function.signature.parameterClause.parameters
                isCoding =
                    function.name.text == "encode"
                    && ["to", "into"].contains(parameters.first?.firstName.text)
            } else {
                continue
            }
            let type = parameters.first?.type.trimmedDescription ?? ""
            let coders = ["Encoder", "Decoder", "CBORWriter", "CBORReader"]
            guard isCoding, parameters.count == 1, coders.contains(where: type.hasSuffix) else {
                continue
            }
            refusals.refuse(
                member.decl, "ownCoding",
                "'@Message' generates the coding; remove this one, or remove '@Message' and "
                    + "conform to 'Codable & Sendable'")
        }
    }
}
