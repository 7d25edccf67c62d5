// CartScreen: the menu on one side, the cart with its totals on the other.
//
// Ownership  the model keeps what is presented, and the code being written; the worker has the cart
//            itself.

import CartContract
import NapkinCore
import NapkinElements
import NapkinFront

@Observable
final class CartModel: CartPresentable, RefusalShowing {
    let listener: any CartPresentableListener
    @Presented private(set) var menu: [CartItem] = []
    @Presented private(set) var contents: CartContents = .init()
    @Presented private(set) var notice: String?
    /// Why this front's last event was refused. It concerns only this front, and is not a state.
    var refusal: String?
    /// The coupon's code.
    var code = ""

    init(listener: any CartPresentableListener) { self.listener = listener }

    /// A yes or no question: the screen has a dialog for that, which follows the contract.
    func confirmEmptying(_ question: String) async throws -> Bool { throw LeftToSurface() }
}

struct CartScreen: View {
    /// The least width for menu and cart beside one another, in cells. Chosen: two of the longest
    /// lines.
    private static let columnsFrom = 64
    @Bindable var model: CartModel

    var body: some View {
        HStack(spacing: 1, stackedBelow: Self.columnsFrom) {
            GroupBox("Menu · Enter adds") {
                List(model.menu) {
                    Text("\($0.name)  ") + Text(Money.text($0.price)).foregroundStyle(.accent)
                } primaryAction: { item in
                    model.dispatch { _ = try await $0.add(item) }
                }
                .id("menu")
            }
            .frame(maxWidth: .infinity)
            GroupBox("Cart · + − Del") {
                if model.contents.lines.isEmpty {
                    Text("Nothing yet.").foregroundStyle(.secondary)
                } else {
                    List(model.contents.lines) { sum("\($0.quantity) × \($0.name)", $0.cents) }
                        .onKeyPress(press).id("cart")
                }
                Divider()
                if let coupon = model.contents.coupon {
                    sum("Subtotal", model.contents.subtotalCents)
                    sum("Coupon \(coupon)", -model.contents.discountCents)
                }
                sum("Total", model.contents.totalCents).bold()
            }
            .frame(maxWidth: .infinity)
        }
        .navigationTitle("CART")
        if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
        if let notice = model.notice { Text(notice).foregroundStyle(.warning) }
        HStack {
            Text("Coupon").foregroundStyle(.secondary)
            TextField("a code, then Enter", text: $model.code)
                .onSubmit {
                    model.dispatch(emptying: $model.code) { try await $0.apply(coupon: $1) }
                }
                .id("coupon").accessibilityLabel("Coupon")
        }
        .padding(.top)
        Button("Empty") { model.dispatch { await $0.didTapEmpty() } }
            .keyboardShortcut("e").padding(.top)
    }

    /// Changes the number of pieces of a line, or removes it.
    private func press(_ key: Key, _ line: CartLine) -> Bool {
        let quantity: Int32
        switch key {
        case .character("+"): quantity = line.quantity + 1
        case .character("-"): quantity = line.quantity - 1
        case .delete, .backspace: quantity = 0
        default: return false
        }
        model.dispatch { try await $0.change(quantity: quantity, of: line.id) }
        return true
    }

    private func sum(_ name: String, _ cents: Int64) -> Text {
        Text("\(name)  ") + Text(Money.text(cents: cents)).foregroundStyle(.accent)
    }
}
