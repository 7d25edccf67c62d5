// Outcome: what the other side may do about a frame: answer it so, or end the connection so.
//
// Spec       Protocol/SPEC.md, section 10 (Errors)

import NapkinProtocol

/// A set of answers and ends.
struct Outcome: OptionSet, Hashable {
    let rawValue: UInt64

    // Answers.
    static let reply = Outcome(rawValue: 1 << 0)
    static let answer = Outcome(rawValue: 1 << 1)
    static let redirect = Outcome(rawValue: 1 << 2)

    // The connection ends without a word: after detach, goodbye and refused.
    static let silence = Outcome(rawValue: 1 << 3)

    /// How many there are in it.
    var count: Int { rawValue.nonzeroBitCount }

    private static let faults = [
        "failed", "gone", "overloaded", "unimplemented", "refused", "noFront", "cancelled",
        "unknown",
    ]
    private static let refusals = Refusal.Code.allCases

    // Faults.
    static let failed = fault("failed")
    static let gone = fault("gone")
    static let overloaded = fault("overloaded")
    static let unimplemented = fault("unimplemented")
    static let readOnly = fault("refused")
    static let cancelled = fault("cancelled")
    static let unknown = fault("unknown")

    // Refusals and goodbyes.
    static let violation = refusal(.protocolViolation)
    static let version = refusal(.version)
    static let badTicket = refusal(.badTicket)
    static let contractMismatch = refusal(.contractMismatch)
    static let sessionEnded = refusal(.sessionEnded)
    static let badRequest = refusal(.badRequest)
    static let tooMany = refusal(.overloaded)
    static let unknownApp = refusal(.unknownApp)
    static let unknownSession = refusal(.unknownSession)

    /// A fault of that code; empty for a code that the specification does not have.
    static func fault(_ code: String) -> Outcome {
        guard let index = faults.firstIndex(of: code) else { return [] }
        return Outcome(rawValue: 1 << (8 + UInt64(index)))
    }

    static func refusal(_ code: Refusal.Code) -> Outcome {
        guard let index = refusals.firstIndex(of: code) else { return [] }
        return Outcome(rawValue: 1 << (32 + UInt64(index)))
    }
}

extension Outcome: CustomStringConvertible {
    var description: String {
        var names: [String] = []
        if contains(.reply) { names.append("reply") }
        if contains(.answer) { names.append("answer") }
        if contains(.redirect) { names.append("redirect") }
        if contains(.silence) { names.append("the end, without a word") }
        names += Self.faults.filter { contains(.fault($0)) }.map { "fault \($0)" }
        names += Self.refusals.filter { contains(.refusal($0)) }.map { "refusal \($0)" }
        return names.isEmpty ? "nothing" : names.joined(separator: " or ")
    }
}

/// How soon an answer must be there, the most pressing first.
enum Timing: Comparable {
    /// The other side answers by itself: also before it ends the connection for a later violation.
    case now
    /// A handler runs and returns soon; a connection that ends takes the answer with it.
    case soon
    /// Somebody has to call `didTapRelease()` first.
    case waiting
    /// Somebody has to do something else first.
    case later
    /// The handler may have been running when the front returned: then its answer comes.
    case perhaps

    var isPressing: Bool { self == .now || self == .soon }
}

/// One answer that is due.
struct Expectation {
    var allowed: Outcome
    var timing: Timing
}
