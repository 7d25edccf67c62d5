// DurableInspection: the rules of an interactor marked `@Durable`.

import SwiftDiagnostics
import SwiftSyntax

/// The facts about an interactor that `@Durable` needs.
struct Durable {
    /// The modifier that a witness of a protocol needs, with a space after it, or nothing.
    var access: String
    /// Whether the interactor declares `durability` itself.
    var declaresNode: Bool
}

enum DurableInspection {
    /// Parses the actor, or says in `refusals` why it cannot.
    static func inspect(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
        lexicalContext: [Syntax], _ refusals: inout MacroDiagnostics
    ) -> Durable? {
        guard let actor = declaration.as(ActorDeclSyntax.self) else {
            refusals.refuse(
                attribute, "notAnActor",
                "'@Durable' goes on an interactor, which is a 'final actor'")
            return nil
        }
        if let second = actor.attributes.all(named: "Durable").dropFirst().first {
            refusals.refuse(
                second, "durableTwice", "an interactor is durable once; remove this '@Durable'",
                [.removing(second, from: actor)])
            return nil
        }
        let members = members(of: actor.memberBlock.members)
        refuseState(of: actor, members, &refusals)
        for member in members {
            let variable = member.declaration.as(VariableDeclSyntax.self)
            if let variable, variable.isState { continue }
            if let variable, variable.isStoredVariable {
                refuseUnmarked(variable, &refusals)
            } else {
                refuseMark(of: member.declaration, &refusals)
            }
            if let type = member.declaration.as(StructDeclSyntax.self), type.name.text == "State" {
                refuseStateType(type, &refusals)
            }
        }
        return Durable(
            access: actor.outwardModifier(in: lexicalContext).map { $0.name.text + " " } ?? "",
            declaresNode: members.contains {
                $0.declaration.as(VariableDeclSyntax.self)?.declares("durability") == true
            })
    }

    private struct Member {
        var declaration: DeclSyntax
        /// Whether it is inside an `#if`.
        var isConditional: Bool
    }

    private static func members(
        of list: MemberBlockItemListSyntax, isConditional: Bool = false
    ) -> [Member] {
        list.flatMap { member in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else {
                return [Member(declaration: member.decl, isConditional: isConditional)]
            }
            return conditional.clauses.flatMap { clause in
                guard case .decls(let list) = clause.elements else { return [Member]() }
                return self.members(of: list, isConditional: true)
            }
        }
    }

    private static func refuseUnmarked(
        _ variable: VariableDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        guard !variable.attributes.contains(named: "Volatile") else { return }
        // An array: the list's own `filter` returns copies, which have no place in the source.
        let patterns = Array(variable.bindings).filter(\.isStored).map(\.pattern)
        let names = patterns.map { "'\($0.trimmedDescription)'" }.joined(separator: ", ")
        let isOne = patterns.count == 1
        refusals.refuse(
            patterns[0], "unmarkedVariable",
            "\(names) \(isOne ? "is" : "are") not in 'state', so a restart loses "
                + "\(isOne ? "it" : "them"); move \(isOne ? "it" : "them") into 'State', or write "
                + "'@Volatile' if \(isOne ? "it" : "they") may be lost",
            [
                .replacing(
                    variable, by: variable.adding(attribute: "Volatile"), "write '@Volatile'")
            ])
    }

    /// Refuses `@Volatile` on anything but a stored variable.
    private static func refuseMark(of declaration: DeclSyntax, _ refusals: inout MacroDiagnostics) {
        guard let declaration = declaration.asProtocol((any WithAttributesSyntax).self),
            let mark = declaration.attributes.attribute(named: "Volatile")
        else { return }
        refusals.refuse(
            mark, "needlessVolatile",
            "'@Volatile' marks a stored 'var' of the actor, whose value a restart loses; remove it "
                + "here", [.removing(mark, from: declaration)])
    }

    private static func refuseStateType(
        _ type: StructDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        let isMessage = type.attributes.contains(named: "Message")
        let isDurable = MessageInspection.inherits(type, ["DurableState"])
        guard !isMessage || !isDurable else { return }
        var fixed = type
        if !isDurable { fixed = fixed.inheriting("DurableState") }
        if !isMessage { fixed = fixed.adding(attribute: "Message") }
        let advice = "write '@Message struct State: DurableState'"
        refusals.refuse(
            type.name, isMessage ? "stateNotDurable" : "stateNotMessage",
            "'State' is written to disk and read by later versions of the app; " + advice,
            [.replacing(type, by: fixed, advice)])
    }
}

// MARK: - The property `state`

extension DurableInspection {
    private static func refuseState(
        of actor: ActorDeclSyntax, _ members: [Member], _ refusals: inout MacroDiagnostics
    ) {
        let states = members.compactMap { member in
            member.declaration.as(VariableDeclSyntax.self).flatMap { variable in
                variable.isState ? (variable, isConditional: member.isConditional) : nil
            }
        }
        guard let (state, isConditional) = states.first else {
            refusals.refuse(
                actor.name, "noState",
                "'@Durable' keeps the property 'state', which '\(actor.name.text)' lacks; write "
                    + "'var state = State()', and a '@Message struct State: DurableState'")
            return
        }
        if isConditional {
            refusals.refuse(
                state, "conditionalState",
                "each build reads what another has written; move 'state' out of '#if'")
        } else if states.count > 1 {
            refusals.refuse(
                states[1].0, "severalStates",
                "an interactor has one 'state'; put all that is kept into its type")
        } else {
            refuse(state, &refusals)
        }
    }

    /// Refuses a state that cannot be observed or restored.
    private static func refuse(_ state: VariableDeclSyntax, _ refusals: inout MacroDiagnostics) {
        let binding = state.bindings.first { $0.declares("state") }
        let unsuitable = state.modifiers.first {
            ["lazy", "weak", "unowned", "private"].contains($0.name.text)
        }
        if state.bindings.count > 1 {
            refusals.refuse(
                state, "sharedDeclaration",
                "'@Durable' observes 'state' alone; declare it by itself")
        } else if let mark = state.attributes.attribute(named: "Volatile") {
            refusals.refuse(
                mark, "volatileState",
                "'state' is what survives a restart; remove '@Volatile'",
                [.removing(mark, from: state)])
        } else if state.isLet {
            var variable = state.bindingSpecifier
            variable.tokenKind = .keyword(.var)
            refusals.refuse(
                state.bindingSpecifier, "constantState",
                "a constant need not be kept, and a restart sets 'state'; write 'var'",
                [.replacing(state.bindingSpecifier, by: variable, "write 'var'")])
        } else if let accessors = binding?.accessorBlock {
            let isStored = binding?.isStored == true
            refusals.refuse(
                accessors, isStored ? "observedState" : "computedState",
                isStored
                    ? "'@Durable' adds the observer of 'state'; remove this one and do its work "
                        + "where the state is changed"
                    : "a computed 'state' has no value that could be kept; store it")
        } else if let unsuitable {
            refusals.refuse(
                unsuitable, "unsuitableState",
                "'state' is read and restored from outside, at any time; remove "
                    + "'\(unsuitable.trimmedDescription)'",
                [.removing(unsuitable, from: state)])
        }
    }
}

extension VariableDeclSyntax {
    fileprivate func declares(_ name: String) -> Bool { bindings.contains { $0.declares(name) } }

    /// Whether it is the interactor's `state`, or looks like it.
    var isState: Bool { declares("state") && !isStatic }

    fileprivate var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    fileprivate var isStatic: Bool {
        modifiers.contains { ["static", "class"].contains($0.name.text) }
    }

    /// Whether an instance has mutable storage for it.
    fileprivate var isStoredVariable: Bool {
        !isLet && !isStatic && bindings.contains(where: \.isStored)
    }
}

extension PatternBindingSyntax {
    fileprivate func declares(_ name: String) -> Bool {
        pattern.as(IdentifierPatternSyntax.self)?.identifier.text.bare == name
    }
}
