// MessageRuleTests: every rule of `@Message`, broken once.

import Testing

private func structure(_ members: String) -> String {
    "@Message\nstruct S {\n    \(members)\n}"
}

private func choice(_ members: String) -> String { "@Message\nenum E {\n    \(members)\n}" }

private let typeOffences = [
    Offence("notAValue", "@Message", "a struct or an enum", "@Message\nfinal class C {}"),
    Offence("notAValue", "@Message", "a struct or an enum", "@Message\nactor A {}"),
    Offence(
        "genericMessage", "<T: Codable>", "one type for each use",
        "@Message\nstruct S<T: Codable> {\n    var x: T\n}"),
    Offence(
        "privateMessage", "private", "write 'fileprivate'",
        "enum Outer {\n    @Message\n    private struct S {}\n}",
        fixed: ["enum Outer {\n    @Message\n    fileprivate struct S {}\n}"]),
    Offence(
        "ownCoding", "func encode(to encoder: any Encoder) throws {}", "remove this one",
        structure("func encode(to encoder: any Encoder) throws {}")),
    Offence(
        "ownCoding", "init(from decoder: any Decoder) throws {}", "remove this one",
        choice("case a\n    init(from decoder: any Decoder) throws {}")),
    Offence(
        "unusualCodingKeys", "typealias CodingKeys = Other", "write them that way",
        structure("typealias CodingKeys = Other")),
    Offence(
        "unusualCodingKeys", "enum CodingKeys: Int, CodingKey { case a }", "write them that way",
        structure("enum CodingKeys: Int, CodingKey { case a }")),
    Offence(
        "unusualCodingKeys", #""\(x)""#, "plain string literals",
        structure(#"enum CodingKeys: String, CodingKey { case a = "\(x)" }"#)),
]

private let fieldOffences = [
    Offence("fieldWithoutType", "x", "write the type of 'x'", structure("var x = f()")),
    Offence("fieldWithoutType", "x", "write the type of 'x'", structure("var x = [3], y: Int")),
    Offence(
        "patternField", "(a, b)", "one stored property at a time",
        structure("var (a, b) = (1, 2)")),
    Offence("wrappedField", "@Clamped", "remove it", structure("@Clamped var x: Int")),
    Offence(
        "conditionalField", "#if DEBUG\n    var x: Int\n    #endif", "move '#if'",
        structure("#if DEBUG\n    var x: Int\n    #endif")),
    Offence(
        "fieldWithoutKey", "y", "write 'case y'",
        structure("var x: Int\n    let y: Int?\n    enum CodingKeys: CodingKey { case x }")),
    Offence("noCases", "E", "add a case", choice("static let x = 1")),
    Offence("sameCase", "a", "rename one", choice("case a(x: Int)\n    case a(y: Int)")),
    Offence(
        "caseWithoutKey", "b", "write 'case b'",
        choice("case a, b\n    enum CodingKeys: CodingKey { case a }")),
    Offence(
        "unusualCodingKeys", "enum TurnCodingKeys: CodingKey { case x }", "as labels",
        choice("case turn(x: Int)\n    enum TurnCodingKeys: CodingKey { case x }")),
    Offence(
        "conditionalField", "#if DEBUG\n    case b\n    #endif", "move '#if'",
        choice("case a\n    #if DEBUG\n    case b\n    #endif")),
    Offence(
        "tooManyValues", "a", "put them into a '@Message' struct",
        choice("case a(\(repeatElement("Int", count: 65).joined(separator: ", ")))")),
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
