// CrossingMessageSource: the enum of a crossing's messages.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import SwiftSyntax

/// Our types are written with their module, so that a contract may define its own `Payload`.
enum Qualified {
    static let core = "NapkinCore"
    static let coding = "NapkinCoding"
    static let writer = "\(coding).CBORWriter"
    static let reader = "\(coding).CBORReader"
    static let error = "\(coding).CBORError"
    static let catalog = "\(coding).TypeCatalog"
    static let methodID = "\(core).MethodID"
}

extension Crossing {
    var messageSource: Source {
        var source = Source()
        source.line("/// A method of `\(name)` and its arguments, as a value.")
        source.block(
            "nonisolated \(access)enum \(name)Message: \(Qualified.core).CrossingMessage"
        ) {
            for method in methods { $0.line(method.caseDeclaration) }
            if !methods.isEmpty { $0.line() }
            addRequirement(to: &$0)
            addNumber(to: &$0)
            $0.line()
            addEncoding(to: &$0)
            $0.line()
            addDecoding(to: &$0)
        }
        return source
    }

    private func addNumber(to source: inout Source) {
        source.block("\(access)var method: \(Qualified.methodID)") {
            $0.choose("self") {
                for method in methods {
                    $0.line("case .\(method.caseName.quoted): \(method.identifier)")
                }
            }
        }
    }

    private func addEncoding(to source: inout Source) {
        source.line("\(access)func encode(")
        source.indented { $0.line("into writer: inout \(Qualified.writer)") }
        source.block(") throws(\(Qualified.error))") {
            $0.choose("self") {
                for method in methods {
                    $0.line("case \(method.pattern):")
                    $0.indented {
                        if method.parameters.isEmpty { $0.line("break") }
                        $0.addArguments(method.bindings, writer: "writer")
                    }
                }
            }
        }
    }

    private func addDecoding(to source: inout Source) {
        source.line("\(access)init(")
        source.indented {
            $0.line("method: \(Qualified.methodID), payload: Swift.UnsafeRawBufferPointer")
        }
        source.block(") throws(\(Qualified.error))") {
            if !methods.isEmpty {
                let isRead = methods.contains { !$0.parameters.isEmpty }
                $0.line("\(isRead ? "var" : "let") reader = \(Qualified.reader)(payload)")
            }
            $0.choose("method.rawValue") {
                for method in methods { addCase(method, to: &$0) }
                $0.line("default:")
                $0.indented { $0.addUnknownMethod(of: name) }
            }
            if !methods.isEmpty { $0.line("try reader.expectEnd()") }
        }
    }

    private func addCase(_ method: Method, to source: inout Source) {
        source.line("case \(method.number.literal):")
        source.indented {
            $0.addArgumentReads(method)
            $0.line("self = \(method.construction)")
        }
    }

    /// Code that the compiler rejects, with words that say what to do, if a type cannot cross. It
    /// comes first, so that it is rejected before the calls that would fail for less obvious
    /// reasons.
    func addRequirement(to source: inout Source) {
        var checks: [TypeCheck] = []
        for method in methods {
            for type in method.parameters.map(\.type) + [method.result].compactMap(\.self) {
                checks.add(.value(type, of: method.key))
            }
            if let error = method.error { checks.add(.error(error, of: method.key)) }
        }
        guard !checks.isEmpty else { return }
        for (index, check) in checks.enumerated() {
            source.line("private static func crosses\(index)<")
            source.indented { $0.line("T: \(check.constraint)") }
            source.line(">(_: T.Type) {}")
            source.line("@available(")
            source.indented { $0.line("*, unavailable, message: \(check.cure.literal)") }
            source.line(")")
            source.line("private static func crosses\(index)<T>(_: T.Type) {}")
        }
        source.block("private static func checkTypes()") {
            for (index, check) in checks.enumerated() {
                $0.line("crosses\(index)(\(check.type).self)")
            }
        }
        source.line()
    }
}

extension Method {
    /// The method's number as an expression.
    var identifier: String { "\(Qualified.methodID)(rawValue: \(number.literal))" }

    var caseDeclaration: String {
        guard !parameters.isEmpty else { return "case \(caseName.quoted)" }
        let values = zip(caseLabels, parameters).map { label, parameter in
            let type = parameter.type.trimmedDescription
            return label == "_" ? type : "\(label.asLabel): \(type)"
        }
        return "case \(caseName.quoted)(\(values.joined(separator: ", ")))"
    }

    /// Names for the associated values. They are not the user's names, which might hide our locals.
    var bindings: [String] { parameters.indices.map { "a\($0)" } }

    /// The case as a pattern that binds `bindings`.
    var pattern: String {
        guard !parameters.isEmpty else { return ".\(caseName.quoted)" }
        let values = bindings.map { "let \($0)" }.joined(separator: ", ")
        return ".\(caseName.quoted)(\(values))"
    }

    /// The case constructed from `bindings`.
    var construction: String { construction(of: bindings) }

    /// Returns the case constructed from an expression for each argument.
    func construction(of values: [String]) -> String {
        guard !parameters.isEmpty else { return ".\(caseName.quoted)" }
        let values = zip(caseLabels, values).map { label, binding in
            label == "_" ? binding : "\(label.asLabel): \(binding)"
        }
        return ".\(caseName.quoted)(\(values.joined(separator: ", ")))"
    }
}

extension Source {
    /// Writes `values`, a method's arguments, in the form of a payload.
    mutating func addArguments(_ values: [String], writer: String) {
        if values.count > 1 { line("\(writer).writeArrayHeader(\(values.count))") }
        for value in values { line("try \(writer).write(\(value))") }
    }

    /// Reads a method's arguments into its `bindings`.
    mutating func addArgumentReads(_ method: Method) {
        let types = method.parameters.map { $0.type.trimmedDescription }
        if types.count > 1 {
            block("guard try reader.readArrayHeader() == \(types.count) else") {
                $0.line("throw \(Qualified.error)(")
                $0.indented {
                    let text = "\(method.key) takes \(types.count) arguments"
                    $0.line(".typeMismatch, at: 0, \(text.literal))")
                }
            }
        }
        for (binding, type) in zip(method.bindings, types) {
            line("let \(binding) = try reader.read(\(type).self)")
        }
    }

    mutating func addUnknownMethod(of name: String) {
        line("throw \(Qualified.error)(")
        indented { $0.line(".unknownCase, at: 0, \("no such method of \(name)".literal))") }
    }
}

/// A requirement that the compiler checks for a type, and its words if the type fails.
private struct TypeCheck {
    let type: String
    let constraint: String
    let cure: String

    /// A parameter's or a result's type; `nil` if it certainly crosses.
    static func value(_ type: TypeSyntax, of method: String) -> TypeCheck? {
        let names = TypeInspection.names(in: type).map { "'\($0)'" }
        guard !names.isEmpty else { return nil }
        return TypeCheck(
            type: type.trimmedDescription, constraint: "Swift.Codable & Swift.Sendable",
            cure: "add '@Message' to \(names.joined(separator: " and ")), which \(method) sends")
    }

    static func error(_ type: TypeSyntax, of method: String) -> TypeCheck {
        let (coding, core) = (Qualified.coding, Qualified.core)
        return TypeCheck(
            type: type.trimmedDescription,
            constraint: "Swift.Codable & \(coding).DirectlyCodable & \(core).CrossingError",
            cure: "add '@Message' and 'CrossingError' to '\(type.trimmedDescription)', which "
                + "\(method) throws")
    }
}

extension [TypeCheck] {
    /// Adds a check, unless that type already has one.
    fileprivate mutating func add(_ check: TypeCheck?) {
        guard let check, !contains(where: { $0.type == check.type }) else { return }
        append(check)
    }
}
