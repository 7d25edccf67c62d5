// MessageTests: the item that crosses is the message that napkin-bench measures.

import CartContract
import NapkinCore
import Testing

@Suite struct MessageTests {
    @Test func `the item of the standard size takes the bytes that are measured`() throws {
        let item = CartItem(
            id: 1, name: "smoked brisket, sliced..", quantity: 3, price: 18.75,
            tags: ["smokebox", "takeaway"])
        let payload = try Payload(encoding: { (writer) throws(CBORError) in
            try writer.write(item)
        })
        let bytes = payload.bytes
        #expect(item.name.utf8.count == 24)
        #expect(item.tags.allSatisfy { $0.utf8.count == 8 })
        // A map of five fields by their names.
        #expect(bytes.count == 85)
        #expect(bytes.first == 0xA5)
        #expect(try payload.decode(CartItem.self) == item)
    }
}
