// WebSecret: random words that admit browsers; the server keeps only their hashes.
//
// Spec       FIPS 180-4, section 6.2 (SHA-256)

/// The hash of a secret.
struct WebSecret: Sendable {
    private let hash: [UInt8]

    init(_ word: String) { hash = Self.sha256(Array(word.utf8)) }

    /// Returns a new word of 128 random bits.
    static func word() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }

    /// Compares in a time that does not depend on the position of a difference.
    func isHash(of word: String) -> Bool {
        zip(hash, Self.sha256(Array(word.utf8))).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static let rounds: [UInt32] = primes.map { fraction(of: $0, root: 3) }
    private static let start: [UInt32] = primes.prefix(8).map { fraction(of: $0, root: 2) }

    private static let primes: [Int] = (2...311).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }

    /// Returns the first 32 fractional bits of a root, found bit by bit.
    private static func fraction(of number: Int, root: Int) -> UInt32 {
        // The root, times 2 to the 32nd, is the greatest number whose power is not above this one.
        func isAbove(_ candidate: UInt64) -> Bool {
            let square = candidate.multipliedFullWidth(by: candidate)
            guard root == 3 else {
                return square.high > UInt64(number) || (square.high == number && square.low > 0)
            }
            // (candidate / 2^32)^3 > number, in 192 bits.
            let low = square.low.multipliedFullWidth(by: candidate)
            let high = square.high.multipliedFullWidth(by: candidate)
            let (middle, carry) = high.low.addingReportingOverflow(low.high)
            let top = high.high + (carry ? 1 : 0)
            let wanted = UInt64(number) << 32
            return top > 0 || middle > wanted || (middle == wanted && low.low > 0)
        }
        var result: UInt64 = 0
        for bit in (0..<40).reversed() where !isAbove(result | 1 << UInt64(bit)) {
            result |= 1 << UInt64(bit)
        }
        return UInt32(truncatingIfNeeded: result)
    }

    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        var hash = start
        for block in stride(from: 0, to: bytes.count, by: 64) {
            compress(bytes[block..<block + 64], into: &hash)
        }
        return hash.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
        func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var state = hash
        for index in 0..<64 {
            let (a, e) = (state[0], state[4])
            let first = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let choice = e & state[5] ^ ~e & state[6]
            let one = state[7] &+ first &+ choice &+ rounds[index] &+ words[index]
            let second = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
            let majority = a & state[1] ^ a & state[2] ^ state[1] & state[2]
            state = [
                one &+ second &+ majority, a, state[1], state[2], state[3] &+ one, e, state[5],
                state[6],
            ]
        }
        for index in hash.indices { hash[index] &+= state[index] }
    }
}
