// PayloadReadingTests: a payload is one value, from its first byte to its last.

import NapkinCoding
import NapkinProtocol
import Testing

struct PayloadReadingTests {
    private func decoded(_ bytes: [UInt8]) -> Refusal? { bytes.withUnsafeBytes { $0.decoded() } }

    @Test func `what stands before or behind a value makes it unreadable`() throws {
        let refusal = Refusal(.version, "too old")
        var writer = CBORWriter()
        try writer.write(refusal)
        let bytes = writer.copyBytes()
        #expect(decoded(bytes) == refusal)
        #expect(decoded(bytes + [0]) == nil && decoded(bytes + bytes) == nil)
        #expect(decoded([0] + bytes) == nil)
        #expect(decoded(Array(bytes.dropLast())) == nil && decoded([]) == nil)
    }

    @Test func `nor is there a value of any other type with something behind it`() throws {
        #expect(try [UInt8(7)].withUnsafeBytes { try $0.decode(Int.self) } == 7)
        for bytes: [UInt8] in [[7, 0], [7, 7], [0x18], []] {
            #expect(throws: CBORError.self) {
                try bytes.withUnsafeBytes { try $0.decode(Int.self) }
            }
        }
    }
}
