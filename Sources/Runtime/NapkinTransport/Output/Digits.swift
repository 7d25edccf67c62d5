// Digits: numbers as text, optionally of a fixed length, and random words of digits.

extension BinaryInteger {
    /// Returns at least that many digits: `07`.
    package func digits(_ count: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }

    /// Returns the number of things that a word with a regular plural names: `1 call`, `2 calls`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// Returns 128 random bits as hexadecimal digits, which nobody can guess. Each attach needs
    /// one, so it is written digit by digit.
    package static func randomWord() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for _ in 0..<2 {
            let word: UInt64 = random.next()
            for shift in stride(from: 60, through: 0, by: -4) {
                text.append(digits[Int(word >> UInt64(shift) & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
