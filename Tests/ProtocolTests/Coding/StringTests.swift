// StringTests: strings read as they were written, wherever they are in a message.

import Testing

@testable import NapkinCoding

@Suite struct StringTests {
    /// A text item, and what is before it.
    private func item(_ text: [UInt8], after count: Int) -> [UInt8] {
        let head = text.count < 24 ? [0x60 | UInt8(text.count)] : [0x78, UInt8(text.count)]
        return [UInt8](repeating: 0xF6, count: count) + head + text
    }

    private func read(
        _ bytes: [UInt8], after count: Int, max: Int
    ) throws -> String {
        try bytes.withUnsafeBytes { bytes in
            var limits = CBORLimits.standard
            limits.stringBytesMax = max
            var reader = CBORReader(bytes, limits: limits)
            for _ in 0..<count { _ = reader.readNull() }
            let text = try reader.readString()
            try reader.expectEnd()
            return text
        }
    }

    private func check(_ text: [UInt8], after count: Int) {
        let bytes = item(text, after: count)
        for max in [14, 15, 16, 1000] {
            do {
                let string = try read(bytes, after: count, max: max)
                #expect(text.count <= max)
                let expected = String(validating: text, as: UTF8.self)
                #expect(string == expected && string.hashValue == expected?.hashValue)
                #expect(Array((string + "x").utf8) == text + [0x78])
                #expect(string.utf8.count == text.count)
                var grown = string
                for _ in 0..<20 { grown.append("y") }
                #expect(Array(grown.utf8) == text + [UInt8](repeating: 0x79, count: 20))
            } catch {
                let isLong = text.count > max
                let code = (error as? CBORError)?.code
                #expect(code == (isLong ? .lengthExceeded : .invalidUTF8))
                #expect(isLong || String(validating: text, as: UTF8.self) == nil)
            }
        }
    }

    @Test(arguments: 0...40)
    func `each length reads as it was written, at any offset, with any byte in any place`(
        length: Int
    ) {
        let text = (0..<length).map { UInt8(0x20 + ($0 * 7 + length) % 0x5F) }
        for count in 0...9 {
            check(text, after: count)
            for place in 0..<length {
                var odd = text
                for byte in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
                    odd[place] = byte
                    check(odd, after: count)
                }
            }
        }
    }
}
