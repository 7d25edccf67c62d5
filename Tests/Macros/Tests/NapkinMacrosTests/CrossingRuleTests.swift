// CrossingRuleTests: every rule of `@Crossing` and `@Effect`, broken once.

import Testing

/// A presentable with one member.
private func presentable(_ member: String) -> String {
    "@Crossing\npublic protocol P: Presentable {\n    \(member)\n}"
}

private func listener(_ member: String) -> String {
    "@Crossing\npublic protocol P: PresentableListener {\n    \(member)\n}"
}

private let protocolOffences = [
    Offence(
        rule: "notAProtocol", place: "@Crossing", advice: "goes on a protocol",
        source: "@Crossing\nstruct P {}"),
    Offence(
        rule: "inheritsNeither", place: "P", advice: "write 'protocol P: Presentable'",
        source: "@Crossing\npublic protocol P {\n}",
        fixed: [
            "@Crossing\npublic protocol P: Presentable {\n}",
            "@Crossing\npublic protocol P: PresentableListener {\n}",
        ]),
    Offence(
        rule: "inheritsNeither", place: "P", advice: "'protocol P: PresentableListener'",
        source: "@Crossing\npublic protocol P: AnyObject {\n}",
        fixed: [
            "@Crossing\npublic protocol P: Presentable, AnyObject {\n}",
            "@Crossing\npublic protocol P: PresentableListener, AnyObject {\n}",
        ]),
    Offence(
        rule: "inheritsBoth", place: "P", advice: "one protocol for each direction",
        source: "@Crossing\npublic protocol P: Presentable, PresentableListener {}"),
    Offence(
        rule: "inheritsMore", place: "Other", advice: "nothing else",
        source: "@Crossing\npublic protocol P: Presentable, Other {}"),
    Offence(
        rule: "localProtocol", place: "P", advice: "out of the function",
        source: "func f() {\n    @Crossing\n    protocol P: Presentable {}\n}"),
    Offence(
        rule: "genericProtocol", place: "<T>", advice: "remove '<T>'",
        source: "@Crossing\npublic protocol P<T>: Presentable {}"),
    Offence(
        rule: "genericProtocol", place: "where Self: Q", advice: "remove",
        source: "@Crossing\npublic protocol P: Presentable where Self: Q {}"),
    Offence(
        rule: "listenerOnMainActor", place: "@MainActor", advice: "remove '@MainActor'",
        source: "@Crossing @MainActor\npublic protocol P: PresentableListener {}"),
]

private let accessOffences = [
    Offence(
        rule: "internalProtocol", place: "P", advice: "write 'public' or 'package'",
        source: "@Crossing\nprotocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        rule: "internalProtocol", place: "P", advice: "visible outside",
        source: "/// A.\n@Crossing @MainActor  // b\nprotocol P: Presentable {}",
        fixed: ["/// A.\n@Crossing @MainActor  // b\npackage protocol P: Presentable {}"]),
    Offence(
        rule: "internalProtocol", place: "P", advice: "write 'public' or 'package'",
        source: "@Crossing nonisolated protocol P: Presentable {}",
        fixed: ["@Crossing package nonisolated protocol P: Presentable {}"]),
    Offence(
        rule: "internalProtocol", place: "internal", advice: "write 'public' or 'package'",
        source: "@Crossing\ninternal protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        rule: "privateProtocol", place: "private", advice: "write 'public' or 'package'",
        source: "@Crossing\nprivate protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        rule: "privateProtocol", place: "fileprivate", advice: "write 'public' or 'package'",
        source: "@Crossing\nfileprivate protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        rule: "internalProtocol", place: "P", advice: "write 'public' or 'package'",
        source: "public enum A { @Crossing protocol P: Presentable {} }",
        fixed: ["public enum A { @Crossing package protocol P: Presentable {} }"]),
    Offence(
        rule: "protocolInInternalType", place: "P", advice: "make 'A' 'public' or 'package'",
        source: "enum A { @Crossing public protocol P: Presentable {} }"),
    Offence(
        rule: "protocolInInternalType", place: "P", advice: "make 'A' 'public' or 'package'",
        source: "internal enum A { public enum B { @Crossing public protocol P: Presentable "
            + "{} } }"),
    Offence(
        rule: "protocolInInternalType", place: "P", advice: "make 'B' 'public' or 'package'",
        source: "public extension A { private enum B { @Crossing public protocol P: Presentable "
            + "{} } }"),
    Offence(
        rule: "protocolInExtension", place: "P", advice: "out of the extension",
        source: "extension A.B { @Crossing public protocol P: Presentable {} }"),
]

private let memberOffences = [
    Offence(
        rule: "notAMethod", place: "var x: Int { get }", advice: "write an 'async' method",
        source: presentable("var x: Int { get }")),
    Offence(
        rule: "notAMethod", place: "subscript(i: Int) -> Int { get }", advice: "'async' method",
        source: presentable("subscript(i: Int) -> Int { get }")),
    Offence(
        rule: "notAMethod", place: "init()", advice: "build their own",
        source: presentable("init()")),
    Offence(
        rule: "notAMethod", place: "associatedtype A", advice: "name the type",
        source: presentable("associatedtype A")),
    Offence(
        rule: "notAMethod", place: "typealias A = Int", advice: "next to the protocol",
        source: presentable("typealias A = Int")),
    Offence(
        rule: "notAMethod", place: "#if DEBUG\n    func f() async\n    #endif",
        advice: "remove the '#if'",
        source: presentable("#if DEBUG\n    func f() async\n    #endif")),
    Offence(
        rule: "staticMethod", place: "static", advice: "remove it",
        source: presentable("static func f() async"), fixed: [presentable("func f() async")]),
    Offence(
        rule: "modifier", place: "nonisolated", advice: "remove 'nonisolated'",
        source: presentable("nonisolated func f() async"),
        fixed: [presentable("func f() async")]),
    Offence(
        rule: "attribute", place: "@concurrent", advice: "remove it",
        source: presentable("@concurrent func f() async")),
    Offence(
        rule: "attribute", place: "@MainActor", advice: "remove it",
        source: listener("@MainActor func f() async")),
    Offence(
        rule: "genericMethod", place: "<T: Codable>", advice: "one method for each type",
        source: presentable("func f<T: Codable>(_ x: T) async")),
    Offence(
        rule: "notAsync", place: "f", advice: "must be 'async'",
        source: presentable("func f()"), fixed: [presentable("func f() async")]),
    Offence(
        rule: "notAsync", place: "f", advice: "must be 'async'",
        source: listener("func f() throws -> Int"),
        fixed: [listener("func f() async throws -> Int")]),
    Offence(
        rule: "notThrowing", place: "f", advice: "must be 'throws'",
        source: presentable("func f() async -> Int"),
        fixed: [presentable("func f() async throws -> Int")]),
    Offence(
        rule: "notThrowing", place: "f", advice: "must be 'throws'",
        source: listener("func f(a: Int) async -> Int"),
        fixed: [listener("func f(a: Int) async throws -> Int")]),
    Offence(
        rule: "throwingPresent", place: "throws", advice: "nobody waits for a state",
        source: presentable("func f() async throws"), fixed: [presentable("func f() async")]),
    Offence(
        rule: "throwingPresent", place: "throws", advice: "nobody waits for an effect",
        source: presentable("@Effect func f() async throws"),
        fixed: [presentable("@Effect func f() async")]),
    Offence(
        rule: "typedThrows", place: "throws(any Error)", advice: "'@Message enum E: CrossingError'",
        source: listener("func f() async throws(any Error) -> Int"),
        fixed: [listener("func f() async throws -> Int")]),
    Offence(
        rule: "typedThrows", place: "throws(RemoteFault)", advice: "'case fault(RemoteFault)'",
        source: listener("func f() async throws(RemoteFault)"),
        fixed: [listener("func f() async throws")]),
    Offence(
        rule: "typedAsk", place: "throws(E)", advice: "write 'throws'",
        source: presentable("func f() async throws(E) -> Int"),
        fixed: [presentable("func f() async throws -> Int")]),
    Offence(
        rule: "sameName", place: "f", advice: "another name",
        source: presentable("func f(_ a: Int) async\n    func f(_ b: String) async")),
    Offence(
        rule: "sameNumber", place: "showLockLockKey", advice: "rename one",
        source: listener("func didTableSmokeDoor() async\n    func showLockLockKey() async")),
]

private let effectOffences = [
    Offence(
        rule: "effectWithResult", place: "@Effect", advice: "remove '@Effect' to ask",
        source: presentable("@Effect func f() async throws -> Int")),
    Offence(
        rule: "effectInListener", place: "@Effect", advice: "remove '@Effect'",
        source: listener("@Effect func f() async")),
    Offence(
        rule: "appendWithResult", place: "@Append", advice: "remove '@Append' to ask",
        source: presentable("@Append func f(_ a: Int) async throws -> Int")),
    Offence(
        rule: "appendInListener", place: "@Append", advice: "remove '@Append'",
        source: listener("@Append func f(_ a: Int) async")),
    Offence(
        rule: "appendAndEffect", place: "@Append", advice: "remove '@Append' or '@Effect'",
        source: presentable("@Append @Effect func f(_ a: Int) async")),
    Offence(
        rule: "provisionalInListener", place: "@Provisional", advice: "remove '@Provisional'",
        source: listener("@Provisional func f(_ a: Int) async"),
        fixed: [listener("func f(_ a: Int) async")]),
    Offence(
        rule: "provisionalNoState", place: "@Provisional", advice: "remove '@Provisional'",
        source: presentable("@Provisional @Effect func f(_ a: Int) async"),
        fixed: [presentable("@Effect func f(_ a: Int) async")]),
    Offence(
        rule: "provisionalNoState", place: "@Provisional", advice: "remove '@Provisional'",
        source: presentable("@Provisional func f(_ a: Int) async throws -> Int"),
        fixed: [presentable("func f(_ a: Int) async throws -> Int")]),
    Offence(
        rule: "misplacedProvisional", place: "@Provisional", advice: "remove it",
        source: "struct S {\n    @Provisional func f() async {}\n}"),
    Offence(
        rule: "secretInPresentable", place: "@Secret", advice: "remove '@Secret'",
        source: presentable("@Secret func f(_ a: Int) async"),
        fixed: [presentable("func f(_ a: Int) async")]),
    Offence(
        rule: "misplacedSecret", place: "@Secret", advice: "add '@Crossing' to the protocol",
        source: "protocol P: PresentableListener {\n    @Secret func f() async\n}"),
    Offence(
        rule: "emptyItem", place: "f", advice: "give 'f' an argument",
        source: presentable("@Append(items: 500) func f() async")),
    Offence(
        rule: "misplacedAppend", place: "@Append", advice: "add '@Crossing' to the protocol",
        source: "protocol P: Presentable {\n    @Append func f(_ a: Int) async\n}"),
    Offence(
        rule: "misplacedEffect", place: "@Effect", advice: "add '@Crossing' to the protocol",
        source: "protocol P: Presentable {\n    @Effect func f() async\n}"),
    Offence(
        rule: "misplacedEffect", place: "@Effect", advice: "remove it",
        source: "struct S {\n    @Effect func f() async {}\n}"),
]

private func argument(_ type: String) -> String { presentable("func f(_ x: \(type)) async") }

private let typeOffences = [
    Offence(
        rule: "inoutParameter", place: "inout", advice: "return the new value",
        source: argument("inout Int")),
    Offence(
        rule: "specifier", place: "sending", advice: "remove 'sending'",
        source: argument("sending Int")),
    Offence(
        rule: "functionType", place: "() -> Void", advice: "send a value",
        source: argument("@escaping @Sendable () -> Void")),
    Offence(
        rule: "functionType", place: "(Int) -> Int", advice: "send a value",
        source: argument("[String: (Int) -> Int]")),
    Offence(
        rule: "variadic", place: "...", advice: "write '[Int]'", source: argument("Int...")),
    Offence(
        rule: "opaqueType", place: "some P", advice: "name a '@Message'",
        source: argument("some P")),
    Offence(
        rule: "existentialType", place: "any P", advice: "name a '@Message'",
        source: argument("[any P]")),
    Offence(
        rule: "existentialType", place: "Any", advice: "name a '@Message'",
        source: argument("Any?")),
    Offence(
        rule: "existentialType", place: "Self", advice: "name a '@Message'",
        source: presentable("func f() async throws -> Self")),
    Offence(
        rule: "tupleType", place: "(Int, Int)", advice: "'@Message' struct",
        source: argument("(Int, Int)")),
    Offence(
        rule: "tupleType", place: "(a: Int, b: Int)", advice: "a result of a crossing",
        source: listener("func f() async throws -> (a: Int, b: Int)?")),
    Offence(
        rule: "unwrappedOptional", place: "Int!", advice: "write 'Int?'",
        source: argument("Int!")),
    Offence(
        rule: "metatype", place: "Int.Type", advice: "a value that names it",
        source: argument("Int.Type")),
    Offence(
        rule: "attributedType", place: "@Wrapped", advice: "remove '@Wrapped'",
        source: argument("@Wrapped Int")),
]

@Suite("A @Crossing protocol that cannot cross is refused, with what to write instead")
struct CrossingRuleTests {
    @Test(arguments: protocolOffences) func `the protocol`(_ offence: Offence) {
        offence.check()
    }

    @Test(arguments: accessOffences) func `its visibility`(_ offence: Offence) {
        offence.check()
    }

    @Test(arguments: memberOffences) func `its members`(_ offence: Offence) { offence.check() }

    @Test(arguments: effectOffences) func `its effects`(_ offence: Offence) { offence.check() }

    @Test(arguments: typeOffences) func `its types`(_ offence: Offence) { offence.check() }

    @Test func `every method is reported, not only the first`() {
        let (findings, _) = refusals(
            of: presentable("func f()\n    func g() async throws\n    func h() -> Int"))
        #expect(findings.map(\.rule) == ["notAsync", "throwingPresent", "notAsync", "notThrowing"])
    }

    @Test func `types that are only written unusually are let through`() {
        for type in ["(Int)", "Swift.Int?", "[String: [Int?]]", "Result<Int, E>", "A.B<C>"] {
            #expect(refusals(of: argument(type)).findings.isEmpty, "\(type)")
        }
        let sources = [
            presentable("@MainActor func f() async"),
            presentable("@discardableResult func f() async throws -> Int"),
            listener("func f() async throws -> Void"),
            listener("func f() async throws(A.E) -> Int"),
            "@Crossing\npublic protocol P: NapkinCore.Presentable, Sendable, AnyObject {}",
            "package enum A { public struct B { @Crossing public protocol P: Presentable {} } }",
            "package extension A { @Crossing protocol P: Presentable {} }",
            "public extension A { enum B { @Crossing public protocol P: Presentable {} } }",
        ]
        for source in sources { #expect(refusals(of: source).findings.isEmpty, "\(source)") }
    }
}
