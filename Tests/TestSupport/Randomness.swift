// Randomness: numbers that a seed repeats.

/// SplitMix64: small, and the same everywhere.
package struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number below `bound`. The bias of the remainder is of no interest here.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True in so many of a hundred cases.
    package mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
}
