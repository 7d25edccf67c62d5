// PayloadTests: what one message may have.

import NapkinCoding
import NapkinCore
import Testing

struct PayloadTests {
    @Test(arguments: [-1, 0, 1]) func `a message is limited exactly`(offset: Int) throws {
        // A frame of 16 MiB besides its length field, without its header.
        let limit = 16 * 1024 * 1024 + 4 - 28
        let head = 5
        let bytes = [UInt8](repeating: 7, count: limit - head + offset)
        let result = Result { () throws(CBORError) in
            try Payload { (writer) throws(CBORError) in try writer.write(bytes) }
        }
        switch result {
        case .success(let payload): #expect(offset <= 0 && payload.bytes.count == limit + offset)
        case .failure(let error): #expect(offset > 0 && error.code == .lengthExceeded)
        }
    }
}
