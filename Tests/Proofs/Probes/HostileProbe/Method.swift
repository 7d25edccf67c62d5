// Method: the methods of the app under test, by number.
//
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

import NapkinCore

/// The numbers of what Tests/Proofs/Fixtures/QuestionDaemon understands.
enum Method {
    static let empty = number("didTapEmpty()")
    static let fail = number("didTapFail()")
    static let wait = number("didTapWait()")
    static let release = number("didTapRelease()")
    static let write = number("didTapWrite()")
    static let tear = number("didTapTear()")
    static let replace = number("didTapReplace()")
    static let pile = number("didTapPile()")
    static let burn = number("didTapBurn()")
    static let presentWaiting = number("present(waiting:)")
    static let unknown = number("didTapNothing()")

    private static let keys = [
        "didTapEmpty()", "didTapFail()", "didTapWait()", "didTapRelease()", "didTapWrite()",
        "didTapTear()", "didTapReplace()", "didTapPile()", "didTapBurn()", "didTapNothing()",
        "present(outcome:)", "present(waiting:)", "confirm(_:)",
    ]

    static func number(_ key: String) -> UInt32 { MethodID(key: key).rawValue }

    static func name(_ number: UInt32) -> String? { keys.first { self.number($0) == number } }
}
