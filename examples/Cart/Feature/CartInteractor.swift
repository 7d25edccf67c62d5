// CartInteractor: keeps the cart, and asks before it is emptied.
//
// Invariant  fronts have been sent a change before the event that caused it is answered.

import CartContract
import NapkinCore

/// The cart of one session, for any number of fronts. What is in it survives its worker.
@Durable
final actor CartInteractor: PresentableInteractable {
    @Message
    struct State: DurableState {
        var basket: Basket = Basket()
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any CartPresentable
    private let menu: Menu
    private let coupons: [Coupon]
    var state = State()
    /// Whether fronts are being asked: a second tap does not ask again. Nobody is after a restart.
    @Volatile private var isAsking = false

    init(presenter: any CartPresentable, menu: Menu, coupons: [Coupon]) {
        self.presenter = presenter
        self.menu = menu
        self.coupons = coupons
    }

    func didBecomeActive() async {
        await presenter.present(menu: menu.items)
        await presenter.present(contents: state.basket.contents)
    }

    /// A change of the cart invalidates an older notice.
    private func changed() async {
        await presenter.present(contents: state.basket.contents)
        await presenter.present(notice: nil)
    }
}

extension CartInteractor: CartPresentableListener {
    func add(_ item: CartItem) async throws(CartError) -> CartReceipt {
        // Only the number, the price and the quantity that a front sends count.
        var (dish, cents) = try menu.dish(of: item)
        dish.quantity = item.quantity
        try state.basket.add(dish, priceCents: cents)
        let count = state.basket.count
        await changed()
        return CartReceipt(ok: true, count: count)
    }

    func change(quantity: Int32, of id: Int64) async throws(CartError) {
        try state.basket.change(quantity: quantity, of: id)
        await changed()
    }

    func apply(coupon code: String) async throws(CartError) {
        state.basket.use(try coupon(called: code))
        await changed()
    }

    private func coupon(called code: String) throws(CartError) -> Coupon? {
        let wanted = code.filter { !$0.isWhitespace }.uppercased()
        if wanted.isEmpty { return nil }
        guard let coupon = coupons.first(where: { $0.code == wanted }) else {
            throw .unknownCoupon(wanted)
        }
        return coupon
    }

    func didTapEmpty() async {
        guard !isAsking, !state.basket.lines.isEmpty else { return }
        isAsking = true
        let asked = state.basket
        let outcome = await answer(to: question(about: asked))
        isAsking = false
        // The cart may have changed meanwhile: the yes was then for another cart.
        switch outcome {
        case .yes where state.basket == asked:
            state.basket.empty()
            await presenter.present(contents: state.basket.contents)
            await presenter.present(notice: "The cart has been emptied.")
        case .yes:
            await presenter.present(notice: "Not emptied: the cart has changed meanwhile.")
        case .no:
            await presenter.present(notice: nil)
        case .cancelled(let reason):
            await presenter.present(notice: "Not emptied: \(reason)")
        }
    }

    private enum Outcome {
        case yes
        case no
        case cancelled(String)
    }

    private func answer(to question: String) async -> Outcome {
        do {
            return try await presenter.confirmEmptying(question) ? .yes : .no
        } catch let fault as RemoteFault where fault.code == .noFront {
            return .cancelled("nobody was there to answer.")
        } catch {
            return .cancelled("\(error)")
        }
    }

    private func question(about basket: Basket) -> String {
        let pieces = basket.count == 1 ? "1 piece" : "\(basket.count) pieces"
        return "Empty the cart? It has \(pieces) for \(CartError.money(basket.subtotalCents))."
    }
}
