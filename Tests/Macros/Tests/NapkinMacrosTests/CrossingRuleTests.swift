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
    Offence("notAProtocol", "@Crossing", "goes on a protocol", "@Crossing\nstruct P {}"),
    Offence(
        "inheritsNeither", "P", "write 'protocol P: Presentable'",
        "@Crossing\npublic protocol P {\n}",
        fixed: [
            "@Crossing\npublic protocol P: Presentable {\n}",
            "@Crossing\npublic protocol P: PresentableListener {\n}",
        ]),
    Offence(
        "inheritsNeither", "P", "'protocol P: PresentableListener'",
        "@Crossing\npublic protocol P: AnyObject {\n}",
        fixed: [
            "@Crossing\npublic protocol P: Presentable, AnyObject {\n}",
            "@Crossing\npublic protocol P: PresentableListener, AnyObject {\n}",
        ]),
    Offence(
        "inheritsBoth", "P", "one protocol for each direction",
        "@Crossing\npublic protocol P: Presentable, PresentableListener {}"),
    Offence(
        "inheritsMore", "Other", "nothing else",
        "@Crossing\npublic protocol P: Presentable, Other {}"),
    Offence(
        "localProtocol", "P", "out of the function",
        "func f() {\n    @Crossing\n    protocol P: Presentable {}\n}"),
    Offence(
        "genericProtocol", "<T>", "remove '<T>'",
        "@Crossing\npublic protocol P<T>: Presentable {}"),
    Offence(
        "genericProtocol", "where Self: Q", "remove",
        "@Crossing\npublic protocol P: Presentable where Self: Q {}"),
    Offence(
        "listenerOnMainActor", "@MainActor", "remove '@MainActor'",
        "@Crossing @MainActor\npublic protocol P: PresentableListener {}"),
]

private let accessOffences = [
    Offence(
        "internalProtocol", "P", "write 'public' or 'package'",
        "@Crossing\nprotocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        "internalProtocol", "P", "visible outside",
        "/// A.\n@Crossing @MainActor  // b\nprotocol P: Presentable {}",
        fixed: ["/// A.\n@Crossing @MainActor  // b\npackage protocol P: Presentable {}"]),
    Offence(
        "internalProtocol", "P", "write 'public' or 'package'",
        "@Crossing nonisolated protocol P: Presentable {}",
        fixed: ["@Crossing package nonisolated protocol P: Presentable {}"]),
    Offence(
        "internalProtocol", "internal", "write 'public' or 'package'",
        "@Crossing\ninternal protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        "privateProtocol", "private", "write 'public' or 'package'",
        "@Crossing\nprivate protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        "privateProtocol", "fileprivate", "write 'public' or 'package'",
        "@Crossing\nfileprivate protocol P: Presentable {}",
        fixed: ["@Crossing\npackage protocol P: Presentable {}"]),
    Offence(
        "internalProtocol", "P", "write 'public' or 'package'",
        "public enum A { @Crossing protocol P: Presentable {} }",
        fixed: ["public enum A { @Crossing package protocol P: Presentable {} }"]),
    Offence(
        "protocolInInternalType", "P", "make 'A' 'public' or 'package'",
        "enum A { @Crossing public protocol P: Presentable {} }"),
    Offence(
        "protocolInInternalType", "P", "make 'A' 'public' or 'package'",
        "internal enum A { public enum B { @Crossing public protocol P: Presentable {} } }"),
    Offence(
        "protocolInInternalType", "P", "make 'B' 'public' or 'package'",
        "public extension A { private enum B { @Crossing public protocol P: Presentable {} } }"
    ),
    Offence(
        "protocolInExtension", "P", "out of the extension",
        "extension A.B { @Crossing public protocol P: Presentable {} }"),
]

private let memberOffences = [
    Offence(
        "notAMethod", "var x: Int { get }", "write an 'async' method",
        presentable("var x: Int { get }")),
    Offence(
        "notAMethod", "subscript(i: Int) -> Int { get }", "'async' method",
        presentable("subscript(i: Int) -> Int { get }")),
    Offence("notAMethod", "init()", "build their own", presentable("init()")),
    Offence("notAMethod", "associatedtype A", "name the type", presentable("associatedtype A")),
    Offence(
        "notAMethod", "typealias A = Int", "next to the protocol",
        presentable("typealias A = Int")),
    Offence(
        "notAMethod", "#if DEBUG\n    func f() async\n    #endif", "remove the '#if'",
        presentable("#if DEBUG\n    func f() async\n    #endif")),
    Offence(
        "staticMethod", "static", "remove it", presentable("static func f() async"),
        fixed: [presentable("func f() async")]),
    Offence(
        "modifier", "nonisolated", "remove 'nonisolated'",
        presentable("nonisolated func f() async"), fixed: [presentable("func f() async")]),
    Offence("attribute", "@concurrent", "remove it", presentable("@concurrent func f() async")),
    Offence("attribute", "@MainActor", "remove it", listener("@MainActor func f() async")),
    Offence(
        "genericMethod", "<T: Codable>", "one method for each type",
        presentable("func f<T: Codable>(_ x: T) async")),
    Offence(
        "notAsync", "f", "must be 'async'", presentable("func f()"),
        fixed: [presentable("func f() async")]),
    Offence(
        "notAsync", "f", "must be 'async'", listener("func f() throws -> Int"),
        fixed: [listener("func f() async throws -> Int")]),
    Offence(
        "notThrowing", "f", "must be 'throws'", presentable("func f() async -> Int"),
        fixed: [presentable("func f() async throws -> Int")]),
    Offence(
        "notThrowing", "f", "must be 'throws'", listener("func f(a: Int) async -> Int"),
        fixed: [listener("func f(a: Int) async throws -> Int")]),
    Offence(
        "throwingPresent", "throws", "nobody waits for a state",
        presentable("func f() async throws"), fixed: [presentable("func f() async")]),
    Offence(
        "throwingPresent", "throws", "nobody waits for an effect",
        presentable("@Effect func f() async throws"), fixed: [presentable("@Effect func f() async")]
    ),
    Offence(
        "typedThrows", "throws(any Error)", "'@Message enum E: CrossingError'",
        listener("func f() async throws(any Error) -> Int"),
        fixed: [listener("func f() async throws -> Int")]),
    Offence(
        "typedThrows", "throws(RemoteFault)", "'case fault(RemoteFault)'",
        listener("func f() async throws(RemoteFault)"), fixed: [listener("func f() async throws")]),
    Offence(
        "typedAsk", "throws(E)", "write 'throws'", presentable("func f() async throws(E) -> Int"),
        fixed: [presentable("func f() async throws -> Int")]),
    Offence(
        "sameName", "f", "another name",
        presentable("func f(_ a: Int) async\n    func f(_ b: String) async")),
    Offence(
        "sameNumber", "showLockLockKey", "rename one",
        listener("func didTableSmokeDoor() async\n    func showLockLockKey() async")),
]

private let effectOffences = [
    Offence(
        "effectWithResult", "@Effect", "remove '@Effect' to ask",
        presentable("@Effect func f() async throws -> Int")),
    Offence("effectInListener", "@Effect", "remove '@Effect'", listener("@Effect func f() async")),
    Offence(
        "appendWithResult", "@Append", "remove '@Append' to ask",
        presentable("@Append func f(_ a: Int) async throws -> Int")),
    Offence(
        "appendInListener", "@Append", "remove '@Append'",
        listener("@Append func f(_ a: Int) async")),
    Offence(
        "appendAndEffect", "@Append", "remove '@Append' or '@Effect'",
        presentable("@Append @Effect func f(_ a: Int) async")),
    Offence(
        "provisionalInListener", "@Provisional", "remove '@Provisional'",
        listener("@Provisional func f(_ a: Int) async"), fixed: [listener("func f(_ a: Int) async")]
    ),
    Offence(
        "provisionalNoState", "@Provisional", "remove '@Provisional'",
        presentable("@Provisional @Effect func f(_ a: Int) async"),
        fixed: [presentable("@Effect func f(_ a: Int) async")]),
    Offence(
        "provisionalNoState", "@Provisional", "remove '@Provisional'",
        presentable("@Provisional func f(_ a: Int) async throws -> Int"),
        fixed: [presentable("func f(_ a: Int) async throws -> Int")]),
    Offence(
        "misplacedProvisional", "@Provisional", "remove it",
        "struct S {\n    @Provisional func f() async {}\n}"),
    Offence(
        "secretInPresentable", "@Secret", "remove '@Secret'",
        presentable("@Secret func f(_ a: Int) async"),
        fixed: [presentable("func f(_ a: Int) async")]),
    Offence(
        "misplacedSecret", "@Secret", "add '@Crossing' to the protocol",
        "protocol P: PresentableListener {\n    @Secret func f() async\n}"),
    Offence(
        "emptyItem", "f", "give 'f' an argument",
        presentable("@Append(items: 500) func f() async")),
    Offence(
        "misplacedAppend", "@Append", "add '@Crossing' to the protocol",
        "protocol P: Presentable {\n    @Append func f(_ a: Int) async\n}"),
    Offence(
        "misplacedEffect", "@Effect", "add '@Crossing' to the protocol",
        "protocol P: Presentable {\n    @Effect func f() async\n}"),
    Offence(
        "misplacedEffect", "@Effect", "remove it", "struct S {\n    @Effect func f() async {}\n}"),
]

private func argument(_ type: String) -> String { presentable("func f(_ x: \(type)) async") }

private let typeOffences = [
    Offence("inoutParameter", "inout", "return the new value", argument("inout Int")),
    Offence("specifier", "sending", "remove 'sending'", argument("sending Int")),
    Offence(
        "functionType", "() -> Void", "send a value", argument("@escaping @Sendable () -> Void")),
    Offence("functionType", "(Int) -> Int", "send a value", argument("[String: (Int) -> Int]")),
    Offence("variadic", "...", "write '[Int]'", argument("Int...")),
    Offence("opaqueType", "some P", "name a '@Message'", argument("some P")),
    Offence("existentialType", "any P", "name a '@Message'", argument("[any P]")),
    Offence("existentialType", "Any", "name a '@Message'", argument("Any?")),
    Offence(
        "existentialType", "Self", "name a '@Message'", presentable("func f() async throws -> Self")
    ),
    Offence("tupleType", "(Int, Int)", "'@Message' struct", argument("(Int, Int)")),
    Offence(
        "tupleType", "(a: Int, b: Int)", "a result of a crossing",
        listener("func f() async throws -> (a: Int, b: Int)?")),
    Offence("unwrappedOptional", "Int!", "write 'Int?'", argument("Int!")),
    Offence("metatype", "Int.Type", "a value that names it", argument("Int.Type")),
    Offence("attributedType", "@Wrapped", "remove '@Wrapped'", argument("@Wrapped Int")),
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
