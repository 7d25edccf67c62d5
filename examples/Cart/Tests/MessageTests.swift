// MessageTests: the item that crosses is the message that napkin-bench measures.

import CartContract
import NapkinCore
import Testing

@Suite struct MessageTests {
    @Test func `the item of the standard size takes the bytes that are measured`() throws {
        let item = CartItem(
            id: 1, name: "smoked brisket, sliced..", quantity: 3, price: 18.75,
            tags: ["smokebox", "takeaway"])
        var writer = CBORWriter()
        try writer.write(item)
        let bytes = writer.copyBytes()
        #expect(item.name.utf8.count == 24)
        #expect(item.tags.allSatisfy { $0.utf8.count == 8 })
        // A map of five fields by their names.
        #expect(bytes.count == 85)
        #expect(bytes.first == 0xA5)
        let decoded = try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let item = try reader.read(CartItem.self)
            try reader.expectEnd()
            return item
        }
        #expect(decoded == item)
    }
}
