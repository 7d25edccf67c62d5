// CartView: the menu on one side, the cart with its totals on the other.
//
// Layer      example, front.
// Isolation  @MainActor.
// Ownership  keeps the presented values, the selection and the text being written; the worker has
//            the cart itself.

import CartContract
import NapkinCore
import NapkinFront
import NapkinTerminal
import Observation

@Observable
final class CartView: CartPresentable, ElementView, RefusalShowing {
    let listener: any CartPresentableListener
    private var menu: [CartItem] = []
    private var contents = CartContents()
    private var notice: String?
    /// Why this front's last event was refused. It concerns only this front, and is not a state.
    var refusal: String?
    private let dishes = ListModel()
    private let chosen = ListModel()
    private let code = TextFieldModel()

    init(listener: any CartPresentableListener) {
        self.listener = listener
    }

    // MARK: - CartPresentable

    func present(menu: [CartItem]) async { self.menu = menu }
    func present(contents: CartContents) async { self.contents = contents }
    func present(notice: String?) async { self.notice = notice }

    /// A yes or no question: the screen has a dialog for that, which follows the contract.
    func confirmEmptying(_ question: String) async throws -> Bool { throw LeftToSurface() }

    // MARK: - A person's actions

    private func add(_ index: Int) {
        guard menu.indices.contains(index) else { return }
        let item = menu[index]
        dispatch { _ = try await $0.add(item) }
    }

    /// Changes the number of pieces of a line, or removes it.
    private func press(_ key: Key, _ index: Int) -> Bool {
        guard contents.lines.indices.contains(index) else { return false }
        let line = contents.lines[index]
        let quantity: Int32
        switch key {
        case .character("+"): quantity = line.quantity + 1
        case .character("-"): quantity = line.quantity - 1
        case .delete, .backspace: quantity = 0
        default: return false
        }
        dispatch { try await $0.change(quantity: quantity, of: line.id) }
        return true
    }

    private func useCoupon() {
        let code = code.text
        self.code.replace(with: "")
        dispatch { [weak self] listener in
            do throws(CartError) {
                try await listener.apply(coupon: code)
            } catch {
                // The person corrects a mistyped code, and need not write it again.
                if case .unknownCoupon = error { self?.code.replace(with: code) }
                throw error
            }
        }
    }

    // MARK: - ElementView

    /// The least width for menu and cart beside one another, in cells. Chosen: two of the longest
    /// lines.
    private static let columnsFrom = 64

    var body: Elements {
        Heading("CART")
        Row(spacing: 1, columnBelow: Self.columnsFrom) {
            Box("Menu · Enter adds") {
                List(menu.map(Self.dish), model: dishes, id: "menu") { [weak self] in
                    self?.add($0)
                }
            }.width(.share)
            Box("Cart · + − Del") {
                if contents.lines.isEmpty {
                    Text("Nothing yet.", .dim)
                } else {
                    List(contents.lines.map(Self.line), model: chosen, id: "cart")
                        .pressed { [weak self] in self?.press($0, $1) ?? false }
                }
                totals
            }.width(.share)
        }
        if let refusal { Text(refusal, .error, wraps: true) }
        if let notice { Text(notice, .warning, wraps: true) }
        Space()
        Row {
            Text("Coupon", .dim)
            TextField(code, id: "coupon", placeholder: "a code, then Enter") { [weak self] in
                self?.useCoupon()
            }
        }
        Space()
        Button("Empty", key: .character("e")) { [weak self] in
            self?.dispatch { await $0.didTapEmpty() }
        }
    }

    @ElementBuilder private var totals: Elements {
        Separator()
        if let coupon = contents.coupon {
            Self.sum("Subtotal", contents.subtotalCents)
            Self.sum("Coupon \(coupon)", -contents.discountCents)
        }
        Self.sum("Total", contents.totalCents, .title)
    }

    // MARK: - Words

    private static func dish(_ item: CartItem) -> StyledLine {
        StyledLine("\(item.name)  ") + StyledLine(Money.text(item.price), .accent)
    }

    private static func line(_ line: CartLine) -> StyledLine {
        StyledLine("\(line.quantity) × \(line.name)  ")
            + StyledLine(Money.text(cents: line.cents), .accent)
    }

    private static func sum(_ name: String, _ cents: Int64, _ role: TextRole = .plain) -> Text {
        Text(StyledLine("\(name)  ", role) + StyledLine(Money.text(cents: cents), .accent))
    }
}
