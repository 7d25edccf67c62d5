// Violation: something that was promised and did not hold.
//
// Layer      test executable.
// Isolation  value.

/// Ends a proof, and says what did not hold.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless `holds`.
    static func unless(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Violation(what()) }
    }
}

/// SplitMix64: numbers that a seed repeats.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number below `bound`. The bias of the remainder is of no interest here.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True in so many of a hundred cases.
    mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
}
