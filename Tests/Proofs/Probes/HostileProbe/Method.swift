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
    static let unknown = number("didTapNothing()")

    private static func number(_ key: String) -> UInt32 { MethodID(key: key).rawValue }
}
