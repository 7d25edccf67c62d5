// CartFlowTests: the cart end to end, through napkind, its worker and control fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CartFlowTests {
    private static let cart = "cart.cart"
    private static let contents = "present(contents:)"
    private static let notice = "present(notice:)"

    private func withFront(_ body: (Workplace, ControlFront) async throws -> Void) async throws {
        let place = Workplace(app: "cart")
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.cart)
        try await body(place, front)
    }

    /// An item of the menu, as the menu has it.
    private func item(_ id: Int, _ quantity: Int, _ price: Double) -> String {
        #"{"id":\#(id),"name":"of the menu","quantity":\#(quantity),"price":\#(price),"tags":[]}"#
    }

    @discardableResult
    private func call(
        _ front: ControlFront, _ method: String, _ arguments: String = "[]"
    ) async throws -> ControlLine {
        let id = try front.send(Self.cart, method, args: arguments)
        return try await front.reads { $0.type == "reply" && $0.id == id }
    }

    private func number(_ front: ControlFront, _ field: String) throws -> Int? {
        let text = try #require(front.screen.value(Self.cart, Self.contents))
        return try JSON.object(text)[field] as? Int
    }

    private func total(_ front: ControlFront) throws -> Int? { try number(front, "totalCents") }

    @Test func `an order adds up to cents, and what is refused changes nothing`() async throws {
        try await withFront { _, front in
            let reply = try await call(front, "add(_:)", "[\(item(1, 2, 18.75))]")
            #expect(try JSON.text(reply.object["value"]) == #"{"count":2,"ok":true}"#)
            #expect(try total(front) == 3750)
            let contents = try #require(front.screen.value(Self.cart, Self.contents))
            // The menu's name, whatever the event calls it.
            #expect(contents.contains("Brisket, sliced"))
            try await call(front, "change(quantity:of:)", "[3,1]")
            #expect(try total(front) == 5625)
            try await call(front, "apply(coupon:)", #"["smoke10"]"#)
            #expect(try number(front, "discountCents") == 562)
            #expect(try total(front) == 5063)
            // What is refused is told in words, and changes nothing.
            for (method, arguments, words) in [
                // The price is named by the menu's name of the dish, and not by the event's.
                ("add(_:)", "[\(item(1, 1, 1))]", "Brisket, sliced costs 18.75"),
                ("add(_:)", "[\(item(77, 1, 1))]", "not on the menu"),
                ("add(_:)", "[\(item(1, 100, 18.75))]", "more than 99"),
                ("change(quantity:of:)", "[1,2]", "not in the cart"),
                ("apply(coupon:)", #"["free"]"#, "no coupon is called FREE"),
            ] {
                let refused = try await call(front, method, arguments)
                #expect(!refused.isOK)
                let message = try JSON.text(refused.object["error"])
                #expect(message.contains(words), "\(message)")
            }
            #expect(try total(front) == 5063)
        }
    }

    @Test func `a worker that is killed while it asks comes back with the cart, and asks again`()
        async throws
    {
        try await withFront { place, front in
            try await call(front, "add(_:)", "[\(item(1, 1, 18.75))]")
            let emptied = try front.send(Self.cart, "didTapEmpty()")
            try await front.reads { $0.type == "ask" }
            kill(try await place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.shows {
                $0.value(Self.cart, Self.contents)?.contains(#""totalCents":1875"#) == true
            }
            // Nothing had been changed when it died, so the event runs again.
            let ask = try await front.reads { $0.type == "ask" }
            try front.child.write(#"{"t":"answer","id":\#(ask.id),"value":true}"#)
            try await front.reads { $0.type == "reply" && $0.id == emptied && $0.isOK }
            #expect(try total(front) == 0)
        }
    }
}
