// CartFlowTests: the cart end to end, through napkind, its worker and control fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CartFlowTests {
    private static let cart = "cart.cart"
    private static let contents = "present(contents:)"
    private static let notice = "present(notice:)"
    private static let question = "confirmEmptying(_:)"

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

    private func isEmptied(_ front: ControlFront) async throws {
        try await front.shows {
            $0.value(Self.cart, Self.notice) == #""The cart has been emptied.""#
        }
        #expect(try total(front) == 0)
    }

    private func total(_ front: ControlFront) throws -> Int? { try number(front, "totalCents") }

    @Test func `items, quantities and a coupon add up to cents`() async throws {
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
        }
    }

    @Test func `what is refused is refused in words, and changes nothing`() async throws {
        try await withFront { _, front in
            let mistakes = [
                ("add(_:)", "[\(item(1, 1, 1))]", "of the menu"),
                ("add(_:)", "[\(item(77, 1, 1))]", "not on the menu"),
                ("add(_:)", "[\(item(1, 100, 18.75))]", "more than 99"),
                ("change(quantity:of:)", "[1,1]", "not in the cart"),
                ("apply(coupon:)", #"["free"]"#, "no coupon is called FREE"),
            ]
            for (method, arguments, words) in mistakes {
                let reply = try await call(front, method, arguments)
                #expect(!reply.isOK)
                let message = try JSON.text(reply.object["error"])
                // The price is named by the menu's name of the dish, and not by the event's.
                let expected = words == "of the menu" ? "Brisket, sliced costs 18.75" : words
                #expect(message.contains(expected), "\(message)")
            }
            #expect(try total(front) == 0)
        }
    }

    @Test(arguments: [("true", 0), ("false", 1875)])
    func `it asks before it is emptied`(answer: String, left: Int) async throws {
        try await withFront { _, front in
            try await call(front, "add(_:)", "[\(item(1, 1, 18.75))]")
            let tap = try front.send(Self.cart, "didTapEmpty()")
            let ask = try await front.reads { $0.type == "ask" }
            #expect(ask.key == Self.question)
            let question = "Empty the cart? It has 1 piece for 18.75."
            #expect(ask.object["value"] as? String == question)
            try front.answers(ask.id, answer)
            try await front.reads { $0.type == "reply" && $0.id == tap }
            #expect(try total(front) == left)
        }
    }

    @Test func `a front that is killed while it is asked leaves the question to the next`()
        async throws
    {
        try await withFront { place, front in
            try await call(front, "add(_:)", "[\(item(3, 1, 21.0))]")
            try front.send(Self.cart, "didTapEmpty()")
            let id = try await front.isAsked(Self.question)
            front.child.signal(SIGKILL)
            #expect(await front.child.exit() == -SIGKILL)
            let next = try await place.front()
            #expect(try await next.isAsked(Self.question) == id)
            #expect(try total(next) == 2100)
            try next.answers(id, "true")
            try await isEmptied(next)
        }
    }

    @Test func `a front that leaves while it is asked leaves a full cart and a notice`()
        async throws
    {
        try await withFront { place, front in
            try await call(front, "add(_:)", "[\(item(3, 1, 21.0))]")
            try front.send(Self.cart, "didTapEmpty()")
            try await front.reads { $0.type == "ask" }
            front.child.signal(SIGTERM)
            _ = await front.child.exit()
            let next = try await place.front()
            try await next.shows {
                $0.value(Self.cart, Self.notice)
                    == #""Not emptied: nobody was there to answer.""#
            }
            #expect(try total(next) == 2100)
            #expect(!next.seen.contains { $0.type == "ask" })
        }
    }

    @Test func `the first answer decides for both fronts`() async throws {
        try await withFront { place, first in
            let second = try await place.front()
            try await call(first, "add(_:)", "[\(item(1, 1, 18.75))]")
            try first.send(Self.cart, "didTapEmpty()")
            let id = try await first.isAsked(Self.question)
            let same = try await second.isAsked(Self.question)
            #expect(same == id)
            try second.answers(id, "true")
            try await first.reads { $0.type == "askEnded" && $0.id == id }
            try await isEmptied(first)
            try await isEmptied(second)
        }
    }

    @Test func `a front that detaches and attaches again finds the cart as it was`() async throws {
        try await withFront { place, front in
            try await call(front, "add(_:)", "[\(item(2, 4, 12.5))]")
            front.child.closeInput()
            #expect(await front.child.exit() == 0)
            let again = try await place.front()
            try await again.shows { $0 == front.screen }
            #expect(try total(again) == 5000)
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
