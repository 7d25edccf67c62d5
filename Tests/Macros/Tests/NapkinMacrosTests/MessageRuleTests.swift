// MessageRuleTests: every rule of `@Message`, broken once.

import Testing

private func structure(_ members: String) -> String {
    "@Message\nstruct S {\n    \(members)\n}"
}

private func choice(_ members: String) -> String { "@Message\nenum E {\n    \(members)\n}" }

private let typeOffences = [
    Offence(
        rule: "notAValue", place: "@Message", advice: "a struct or an enum",
        source: "@Message\nfinal class C {}"),
    Offence(
        rule: "notAValue", place: "@Message", advice: "a struct or an enum",
        source: "@Message\nactor A {}"),
    Offence(
        rule: "genericMessage", place: "<T: Codable>", advice: "one type for each use",
        source: "@Message\nstruct S<T: Codable> {\n    var x: T\n}"),
    Offence(
        rule: "privateMessage", place: "private", advice: "write 'fileprivate'",
        source: "enum Outer {\n    @Message\n    private struct S {}\n}",
        fixed: ["enum Outer {\n    @Message\n    fileprivate struct S {}\n}"]),
    Offence(
        rule: "ownCoding", place: "func encode(to encoder: any Encoder) throws {}",
        advice: "remove this one",
        source: structure("func encode(to encoder: any Encoder) throws {}")),
    Offence(
        rule: "ownCoding", place: "init(from decoder: any Decoder) throws {}",
        advice: "remove this one",
        source: choice("case a\n    init(from decoder: any Decoder) throws {}")),
    Offence(
        rule: "unusualCodingKeys", place: "typealias CodingKeys = Other",
        advice: "write them that way",
        source: structure("typealias CodingKeys = Other")),
    Offence(
        rule: "unusualCodingKeys", place: "enum CodingKeys: Int, CodingKey { case a }",
        advice: "write them that way",
        source: structure("enum CodingKeys: Int, CodingKey { case a }")),
    Offence(
        rule: "unusualCodingKeys", place: #""\(x)""#, advice: "plain string literals",
        source: structure(#"enum CodingKeys: String, CodingKey { case a = "\(x)" }"#)),
]

private let fieldOffences = [
    Offence(
        rule: "fieldWithoutType", place: "x", advice: "write the type of 'x'",
        source: structure("var x = f()")),
    Offence(
        rule: "fieldWithoutType", place: "x", advice: "write the type of 'x'",
        source: structure("var x = [3], y: Int")),
    Offence(
        rule: "patternField", place: "(a, b)", advice: "one stored property at a time",
        source: structure("var (a, b) = (1, 2)")),
    Offence(
        rule: "wrappedField", place: "@Clamped", advice: "remove it",
        source: structure("@Clamped var x: Int")),
    Offence(
        rule: "conditionalField", place: "#if DEBUG\n    var x: Int\n    #endif",
        advice: "move '#if'", source: structure("#if DEBUG\n    var x: Int\n    #endif")),
    Offence(
        rule: "fieldWithoutKey", place: "y", advice: "write 'case y'",
        source: structure(
            "var x: Int\n    let y: Int?\n    enum CodingKeys: CodingKey { case x }")),
    Offence(
        rule: "noCases", place: "E", advice: "add a case", source: choice("static let x = 1")),
    Offence(
        rule: "sameCase", place: "a", advice: "rename one",
        source: choice("case a(x: Int)\n    case a(y: Int)")),
    Offence(
        rule: "caseWithoutKey", place: "b", advice: "write 'case b'",
        source: choice("case a, b\n    enum CodingKeys: CodingKey { case a }")),
    Offence(
        rule: "unusualCodingKeys", place: "enum TurnCodingKeys: CodingKey { case x }",
        advice: "as labels",
        source: choice("case turn(x: Int)\n    enum TurnCodingKeys: CodingKey { case x }")),
    Offence(
        rule: "conditionalField", place: "#if DEBUG\n    case b\n    #endif",
        advice: "move '#if'", source: choice("case a\n    #if DEBUG\n    case b\n    #endif")),
    Offence(
        rule: "tooManyValues", place: "a", advice: "put them into a '@Message' struct",
        source: choice("case a(\(repeatElement("Int", count: 65).joined(separator: ", ")))")),
]

@Suite("A type that @Message cannot code is refused, with what to write instead")
struct MessageRuleTests {
    @Test(arguments: typeOffences) func `the type`(_ offence: Offence) { offence.check() }

    @Test(arguments: fieldOffences) func `its fields and cases`(_ offence: Offence) {
        offence.check()
    }

    @Test func `what is not stored needs no type`() {
        let sources = [
            "static var x = 3", "lazy var x = 3", "var x: Int { 3 }", "let x = 3",
            "var x: Int = 3 { didSet {} }", "func encode(to place: Place) {}",
        ]
        for source in sources {
            #expect(refusals(of: structure(source)).findings.isEmpty, "\(source)")
        }
    }
}
