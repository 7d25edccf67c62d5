// CartTests: the cart as its fronts see it, with values handed over and with frames.

import CartContract
import NapkinCore
import NapkinTesting
import Testing

@testable import CartFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CartTests {
    @Test("a cart begins with the menu and nothing in it")
    func begins() async throws {
        try await Shop.open { shop in
            #expect(shop.journal.lines == ["menu of 6", "total 0", "+ cart"])
        }
    }

    @Test("what is added is shown before the receipt comes")
    func adds() async throws {
        try await Shop.open { shop in
            let first = try await shop.add(1)
            #expect(first == CartReceipt(ok: true, count: 1))
            #expect(shop.contents == "1 × Brisket, sliced; total 1875")
            let second = try await shop.add(6, 2)
            #expect(second == CartReceipt(ok: true, count: 3))
            #expect(shop.contents == "1 × Brisket, sliced; 2 × Skillet Cornbread; total 2685")
        }
    }

    @Test("quantities change, and nothing of it takes a dish out")
    func changes() async throws {
        try await Shop.open { shop in
            try await shop.add(1)
            try await shop.listener.change(quantity: 3, of: 1)
            #expect(shop.contents == "3 × Brisket, sliced; total 5625")
            try await shop.listener.change(quantity: 0, of: 1)
            #expect(shop.contents == "total 0")
        }
    }

    @Test("a coupon in any spelling is put on, replaced and taken off")
    func usesCoupons() async throws {
        try await Shop.open { shop in
            try await shop.add(1, 2)
            try await shop.listener.apply(coupon: " lunch5 ")
            #expect(shop.contents == "2 × Brisket, sliced; coupon LUNCH5 −500; total 3250")
            try await shop.listener.apply(coupon: "Smoke10")
            #expect(shop.contents == "2 × Brisket, sliced; coupon SMOKE10 −375; total 3375")
            try await shop.listener.apply(coupon: "")
            #expect(shop.contents == "2 × Brisket, sliced; total 3750")
        }
    }

    @Test("what is refused changes nothing, and says why")
    func refuses() async throws {
        try await Shop.open { shop in
            try await shop.add(1)
            let before = shop.journal.lines.count
            var cheap = try #require(Menu.standard.items.first)
            cheap.price = 1
            await #expect(throws: CartError.price(of: "Brisket, sliced", isCents: 1875)) {
                try await shop.listener.add(cheap)
            }
            await #expect(throws: CartError.tooMany(of: "Brisket, sliced")) {
                try await shop.add(1, 99)
            }
            await #expect(throws: CartError.notInCart(2)) {
                try await shop.listener.change(quantity: 1, of: 2)
            }
            await #expect(throws: CartError.unknownCoupon("FREE")) {
                try await shop.listener.apply(coupon: "free")
            }
            #expect(shop.journal.lines.count == before)
        }
    }

    @Test("what fails on the way is the error's fault")
    func failsOnTheWay() async throws {
        try await Shop.open { shop in
            let listener = try shop.listener
            await shop.front.detach()
            do throws(CartError) {
                try await listener.apply(coupon: "LUNCH5")
                Issue.record("there was no connection")
            } catch {
                guard case .fault(let fault) = error else {
                    Issue.record(error)
                    return
                }
                #expect(fault.code == .notExecuted || fault.code == .gone)
            }
        }
    }

    @Test("a call ends at its deadline, and is not sent after it")
    func isInTime() async throws {
        try await Shop.open { shop in
            let listener = try shop.listener
            let item = try #require(Menu.standard.items.first)
            let receipt = try await withDeadline(.seconds(60)) { try await listener.add(item) }
            #expect(receipt.count == 1)
            let late = CartError.fault(
                RemoteFault(.deadlineExceeded, "the deadline had passed before the call was sent"))
            await #expect(throws: late) {
                try await withDeadline(.zero) { try await listener.add(item) }
            }
            #expect(try await listener.add(item).count == 2)
        }
    }

    // MARK: - Emptying

    @Test("yes empties the cart")
    func empties() async throws {
        try await Shop.open { shop in
            try await shop.add(1, 3)
            try await shop.listener.didTapEmpty()
            #expect(shop.journal.count(of: question(3, "56.25")) == 1)
            #expect(shop.contents == "total 0")
            #expect(shop.notice == "notice The cart has been emptied.")
            // What happens next makes the notice void.
            try await shop.add(2)
            #expect(shop.notice == "notice none")
        }
    }

    private func question(_ pieces: Int, _ sum: String) -> String {
        "asked Empty the cart? It has \(pieces) pieces for \(sum)."
    }

    @Test("no keeps it")
    func keeps() async throws {
        func saysNo(_ journal: Journal) async -> Bool { false }
        try await Shop.open(answer: saysNo) { shop in
            try await shop.add(1, 3)
            try await shop.listener.didTapEmpty()
            #expect(shop.journal.count(of: question(3, "56.25")) == 1)
            #expect(shop.contents == "3 × Brisket, sliced; total 5625")
            #expect(shop.notice == "notice none")
        }
    }

    @Test("nothing is asked about an empty cart")
    func asksNothing() async throws {
        try await Shop.open { shop in
            try await shop.listener.didTapEmpty()
            #expect(!shop.journal.lines.contains { $0.hasPrefix("asked") })
        }
    }

    /// An answer that waits for a line of the journal.
    private func yes(after line: String) -> (Journal) async -> Bool {
        { journal in
            await journal.wait(for: line)
            return true
        }
    }

    /// Puts three dishes into the cart and taps to empty it; returns when the question is open.
    private func asksForThree(_ shop: Shop) async throws -> Task<Void, Never> {
        try await shop.add(1, 3)
        let listener = try shop.listener
        let tap = dispatch { await listener.didTapEmpty() }
        await shop.journal.wait(for: question(3, "56.25"))
        return tap
    }

    @Test("a second tap does not ask twice, and a cart that has changed meanwhile is not emptied")
    func keepsWhatHasChanged() async throws {
        try await Shop.open(answer: yes(after: "thought")) { shop in
            let tap = try await asksForThree(shop)
            try await shop.listener.didTapEmpty()
            try await shop.add(2)
            shop.journal.note("thought")
            await tap.value
            #expect(shop.journal.lines.count { $0.hasPrefix("asked") } == 1)
            #expect(shop.notice == "notice Not emptied: the cart has changed meanwhile.")
            #expect(shop.contents == "3 × Brisket, sliced; 1 × Pulled Pork; total 6875")
        }
    }

    @Test("without anybody to answer, the cart is kept, and whoever comes back sees why")
    func isCancelled() async throws {
        try await Shop.open(answer: yes(after: "the test is over")) { shop in
            let tap = try await asksForThree(shop)
            await shop.front.detach()
            let other = RecordingViews()
            other.record(Cart.self) { [journal = other.journal] view in
                view.onMessage { journal.note(Words.text($0)) }
            }
            _ = try await shop.session.attach(other)
            await other.journal.wait(for: "notice Not emptied: nobody was there to answer.")
            await other.journal.wait(for: "3 × Brisket, sliced; total 5625")
            shop.journal.note("the test is over")
            await tap.value
        }
    }

    @Test("a question waits for its front to come back")
    func isAskedAgain() async throws {
        try await Shop.open(answer: yes(after: "thought")) { shop in
            let tap = try await asksForThree(shop)
            await shop.front.disconnect()
            await shop.front.reconnect()
            await shop.journal.wait(for: question(3, "56.25"))
            shop.journal.note("thought")
            await shop.journal.wait(for: "notice The cart has been emptied.")
            await tap.value
        }
    }

    @Test("a tap that is cancelled takes its question back")
    func isTakenBack() async throws {
        try await Shop.open(answer: yes(after: "the test is over")) { shop in
            let tap = try await asksForThree(shop)
            tap.cancel()
            await tap.value
            await shop.journal.wait(
                for: "notice Not emptied: cancelled: the calling task was cancelled")
            shop.journal.note("the test is over")
            #expect(shop.contents == "3 × Brisket, sliced; total 5625")
        }
    }

    // MARK: - Several fronts

    @Test("two fronts see the same cart, and one that comes later, too")
    func isShared() async throws {
        try await Shop.open { shop in
            try await shop.add(1)
            let other = RecordingViews()
            other.record(Cart.self) { [journal = other.journal] view in
                view.onMessage { journal.note(Words.text($0)) }
            }
            _ = try await shop.session.attach(other)
            await other.journal.wait(for: "1 × Brisket, sliced; total 1875")
            let listener = try #require(other.newest(Cart.self)?.listener)
            try await listener.change(quantity: 2, of: 1)
            await shop.journal.wait(for: "2 × Brisket, sliced; total 3750")
        }
    }

    @Test("sessions have carts of their own")
    func isApart() async throws {
        try await Shop.open { first in
            try await first.add(1)
            try await Shop.open { second in
                #expect(second.contents == "total 0")
            }
        }
    }
}
