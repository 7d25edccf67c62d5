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
    @Presented private var menu: [CartItem] = []
    @Presented private var contents: CartContents = .init()
    @Presented private var notice: String?
    /// Why this front's last event was refused. It concerns only this front, and is not a state.
    var refusal: String?
    private let dishes = ListModel()
    private let chosen = ListModel()
    private let code = TextFieldModel()

    init(listener: any CartPresentableListener) {
        self.listener = listener
    }

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
        HStack(spacing: 1, stackedBelow: Self.columnsFrom) {
            GroupBox("Menu · Enter adds") {
                List(menu, selection: dishes, row: Self.dish) { self.add($0) }.id("menu")
            }
            .frame(maxWidth: .infinity)
            GroupBox("Cart · + − Del") {
                if contents.lines.isEmpty {
                    Text("Nothing yet.").foregroundStyle(.secondary)
                } else {
                    List(contents.lines, selection: chosen, row: Self.line)
                        .onKeyPress { self.press($0, $1) }.id("cart")
                }
                totals
            }
            .frame(maxWidth: .infinity)
        }
        if let refusal { Text(refusal).foregroundStyle(.error) }
        if let notice { Text(notice).foregroundStyle(.warning) }
        HStack {
            Text("Coupon").foregroundStyle(.secondary)
            TextField("a code, then Enter", text: code).onSubmit { self.useCoupon() }.id("coupon")
        }
        .padding(.top)
        Button("Empty") { self.dispatch { await $0.didTapEmpty() } }
            .keyboardShortcut("e").padding(.top)
    }

    @ElementBuilder private var totals: Elements {
        Divider()
        if let coupon = contents.coupon {
            Self.sum("Subtotal", contents.subtotalCents)
            Self.sum("Coupon \(coupon)", -contents.discountCents)
        }
        Self.sum("Total", contents.totalCents).bold()
    }

    // MARK: - Words

    private static func dish(_ item: CartItem) -> Text {
        Text("\(item.name)  ") + Text(Money.text(item.price)).foregroundStyle(.accent)
    }

    private static func line(_ line: CartLine) -> Text {
        sum("\(line.quantity) × \(line.name)", line.cents)
    }

    private static func sum(_ name: String, _ cents: Int64) -> Text {
        Text("\(name)  ") + Text(Money.text(cents: cents)).foregroundStyle(.accent)
    }
}
