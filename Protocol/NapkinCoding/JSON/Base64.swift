// Base64: byte strings as text, for JSON. RFC 4648, section 4, with padding.

package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let taken = min(3, bytes.count - index)
            var group: UInt32 = 0
            for place in 0..<3 {
                group = group << 8 | (place < taken ? UInt32(bytes[index + place]) : 0)
            }
            for place in 0..<4 {
                let code = Int(group >> UInt32(18 - 6 * place)) & 63
                text.append(place <= taken ? alphabet[code] : UInt8(ascii: "="))
            }
            index += taken
        }
    }

    /// Returns the bytes that `text` encodes; nil if it is not padded base64.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var index = 0
        while index < text.count {
            let isLast = index + 4 == text.count
            var padding = 0
            if isLast, text[index + 3] == UInt8(ascii: "=") {
                padding = text[index + 2] == UInt8(ascii: "=") ? 2 : 1
            }
            var group: UInt32 = 0
            for place in 0..<4 {
                var code: UInt32 = 0
                if place < 4 - padding {
                    guard let found = value(of: text[index + place]) else { return nil }
                    code = found
                }
                group = group << 6 | code
            }
            for place in 0..<(3 - padding) {
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place)))
            }
            index += 4
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
