// DurableRuleTests: every rule of `@Durable` and `@Volatile`, broken once.

import Testing

private let state = "var state = State()"

/// An interactor with these members.
private func interactor(_ members: String...) -> String {
    "@Durable\nfinal actor A: Interactable {\n    \(members.joined(separator: "\n    "))\n}"
}

/// A stored property that is not marked, and its name.
private func unmarked(_ name: String, _ declaration: String, _ advice: String? = nil) -> Offence {
    Offence(
        "unmarkedVariable", name, advice ?? "write '@Volatile' if it may be",
        interactor(state, declaration), fixed: [interactor(state, "@Volatile " + declaration)])
}

private let variableOffences = [
    unmarked("a", "var a = 1", "'a' is not in 'state', so a restart loses it"),
    unmarked("a", "private var a = 1"),
    unmarked("a", "private(set) var a: Int", "move it into 'State'"),
    unmarked("a", "lazy var a = 1"),
    unmarked("a", "weak var a: Other?"),
    unmarked("a", "var a = 1 { didSet { print(a) } }"),
    unmarked("a", "nonisolated(unsafe) var a = 1"),
    unmarked("a", "@available(*, deprecated)\n    var a = 1"),
    unmarked("a", "/// What it is.\n    var a = 1").with {
        $0.fixed = [interactor(state, "/// What it is.\n    @Volatile var a = 1")]
    },
    unmarked("a", "var a = 1, b = 2", "'a', 'b' are not in 'state'"),
    unmarked("(a, b)", "var (a, b) = (1, 2)"),
    Offence(
        "unmarkedVariable", "a", "'a' is not in 'state'",
        interactor(state, "#if DEBUG", "var a = 1", "#endif"),
        fixed: [interactor(state, "#if DEBUG", "@Volatile var a = 1", "#endif")]),
]

/// A mark where it does not belong.
private func needless(_ marked: String, _ unmarked: String) -> Offence {
    Offence(
        "needlessVolatile", "@Volatile", "remove it here", interactor(state, marked),
        fixed: [interactor(state, unmarked)])
}

private let markOffences = [
    needless("@Volatile let a = 1", "let a = 1"),
    needless("@Volatile var a: Int { 1 }", "var a: Int { 1 }"),
    needless("@Volatile static var a = 1", "static var a = 1"),
    needless("@Volatile\n    func f() {}", "func f() {}"),
    Offence(
        "misplacedVolatile", "@Volatile", "add '@Durable' to the actor",
        "final actor A {\n    @Volatile var a = 1\n}"),
    Offence(
        "misplacedVolatile", "@Volatile", "; remove it",
        "final class C {\n    @Volatile var a = 1\n}",
        fixed: ["final class C {\n    var a = 1\n}"]),
    Offence(
        "misplacedVolatile", "@Volatile", "; remove it", "@Volatile var a = 1", fixed: ["var a = 1"]
    ),
]

private let stateOffences = [
    Offence("noState", "A", "write 'var state = State()'", interactor("let a = 1")),
    Offence("noState", "A", "which 'A' lacks", interactor("static var state = 1")),
    Offence(
        "constantState", "let", "write 'var'", interactor("let state = State()"),
        fixed: [interactor(state)]),
    Offence("computedState", "{ State() }", "store it", interactor("var state: State { State() }")),
    Offence(
        "computedState", "{ get { s } set { s = newValue } }", "store it",
        interactor("var state: State { get { s } set { s = newValue } }")),
    Offence(
        "observedState", "{ didSet { f() } }", "remove this one",
        interactor("var state = State() { didSet { f() } }")),
    Offence(
        "unsuitableState", "lazy", "remove 'lazy'", interactor("lazy var state = State()"),
        fixed: [interactor(state)]),
    Offence(
        "unsuitableState", "weak", "remove 'weak'", interactor("weak var state: State?"),
        fixed: [interactor("var state: State?")]),
    Offence(
        "unsuitableState", "private(set)", "remove 'private(set)'",
        interactor("private(set) " + state), fixed: [interactor(state)]),
    Offence(
        "unsuitableState", "private", "from outside", interactor("private " + state),
        fixed: [interactor(state)]),
    Offence(
        "sharedDeclaration", "var state = State(), a = 1", "by itself",
        interactor("var state = State(), a = 1")),
    Offence(
        "severalStates", "var state = Other()", "one 'state'",
        interactor(state, "var state = Other()")),
    Offence(
        "conditionalState", "var state = 1", "out of '#if'",
        interactor("#if DEBUG", "var state = 1", "#else", "var state = 2", "#endif")),
    Offence(
        "volatileState", "@Volatile", "remove '@Volatile'", interactor("@Volatile " + state),
        fixed: [interactor(state)]),
]

/// A type that is not what `state` needs; the fix is always the same.
private func unsuited(_ rule: String, _ declaration: String, _ fixed: String) -> Offence {
    Offence(
        rule, "State", "write '@Message struct State: DurableState'",
        interactor(declaration, state), fixed: [interactor(fixed, state)])
}

private let typeOffences = [
    unsuited(
        "stateNotMessage", "struct State: DurableState {}",
        "@Message struct State: DurableState {}"),
    unsuited("stateNotMessage", "struct State {}", "@Message struct State: DurableState {}"),
    unsuited(
        "stateNotMessage", "/// All.\n    private struct State: Equatable {}",
        "/// All.\n    @Message private struct State: DurableState, Equatable {}"),
    Offence(
        "notAnActor", "@Durable", "a 'final actor'",
        "@Durable\nfinal class C {\n    var state = 1\n}"),
    Offence(
        "durableTwice", "@Durable", "remove this '@Durable'",
        "@Durable\n@Durable\nfinal actor A {\n    var state = 1\n}",
        fixed: ["@Durable\nfinal actor A {\n    var state = 1\n}"]),
]

extension Offence {
    fileprivate func with(_ change: (inout Offence) -> Void) -> Offence {
        var changed = self
        change(&changed)
        return changed
    }
}

@Suite("An interactor that @Durable cannot keep is refused, with what to write instead")
struct DurableRuleTests {
    @Test(arguments: variableOffences) func `what a restart would lose`(_ offence: Offence) {
        offence.check()
    }

    @Test(arguments: markOffences) func `a mark on anything else`(_ offence: Offence) {
        offence.check()
    }

    @Test(arguments: stateOffences) func `its state`(_ offence: Offence) { offence.check() }

    @Test(arguments: typeOffences) func `its types`(_ offence: Offence) { offence.check() }

    /// `@Message` is left alone by what `@Durable` refuses, and expands.
    @Test func `a state that is a message and nothing more`() {
        let (findings, _) = refusals(
            of: interactor("@Message struct State: Equatable {}", state))
        #expect(findings.map(\.rule) == ["stateNotDurable"])
        #expect(
            findings.first?.fixed == [
                interactor("@Message struct State: DurableState, Equatable {}", state)
            ])
    }

    @Test func `each unmarked variable is refused by itself`() {
        let (findings, _) = refusals(of: interactor(state, "var a = 1", "let b = 2", "var c = 3"))
        #expect(findings.map(\.place) == ["a", "c"])
    }
}
