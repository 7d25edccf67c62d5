// Ticket: the right to attach once to one session, soon.
//
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

/// 128 random bits in hex.
package enum Ticket {
    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for _ in 0..<2 {
            let word = random.next()
            for shift in stride(from: 60, through: 0, by: -4) {
                text.append(digits[Int(word >> UInt64(shift) & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
