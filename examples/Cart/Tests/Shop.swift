// Shop: a cart on stage, with fronts that write down what they show.

import CartContract
import NapkinCore
import NapkinTesting

@testable import CartFeature

/// What a cart presents, a line each.
enum Words {
    static func text(_ message: Cart.Presenting.Message) -> String {
        switch message {
        case .presentMenu(let menu): "menu of \(menu.count)"
        case .presentContents(let contents): text(contents)
        case .presentNotice(let notice): "notice \(notice ?? "none")"
        case .confirmEmptying(let question): "asked \(question)"
        }
    }

    /// `2 × Brisket, sliced; coupon LUNCH5 −500; total 3250`
    static func text(_ contents: CartContents) -> String {
        let lines = contents.lines.map { "\($0.quantity) × \($0.name)" }
        let coupon = contents.coupon.map { "coupon \($0) −\(contents.discountCents)" }
        return (lines + [coupon].compactMap(\.self) + ["total \(contents.totalCents)"])
            .joined(separator: "; ")
    }
}

/// A session of the cart with one front.
@MainActor
final class Shop {
    let session: TestSession
    let views = RecordingViews()
    private(set) var front: TestFront

    private init(answer: @escaping (Journal) async -> Bool) async throws {
        // A second session restores the state and must present the same, except for a notice.
        session = await TestSession.launch(
            CartApp.self, isDurable: true,
            losing: [RestoreDifference("cart.cart present(notice:)", comesBackAs: nil)])
        let journal = views.journal
        views.record(Cart.self) { view in
            view.onMessage { journal.note(Words.text($0)) }
            view.onAsk { _ in await answer(journal) }
        }
        front = try await session.attach(views)
    }

    /// - Parameter answer: what a front says to every question.
    static func open(
        answer: @escaping (Journal) async -> Bool = { _ in true },
        _ visit: (Shop) async throws -> Void
    ) async throws {
        let shop = try await Shop(answer: answer)
        do {
            try await visit(shop)
            try await shop.session.expectQuiescent()
        } catch {
            await shop.session.end()
            throw error
        }
        await shop.session.end()
    }

    var journal: Journal { views.journal }

    var listener: any CartPresentableListener {
        get throws {
            guard let listener = views.newest(Cart.self)?.listener else { throw Missing() }
            return listener
        }
    }

    private struct Missing: Error {}

    /// Puts a dish of the menu into the cart.
    @discardableResult
    func add(_ id: Int64, _ quantity: Int32 = 1) async throws -> CartReceipt {
        guard var item = Menu.standard.items.first(where: { $0.id == id }) else {
            throw Missing()
        }
        item.quantity = quantity
        return try await listener.add(item)
    }

    /// The newest contents that the front has been shown.
    var contents: String? { newest { !$0.hasPrefix("notice") && $0.contains("total") } }

    var notice: String? { newest { $0.hasPrefix("notice") } }

    private func newest(_ fits: (String) -> Bool) -> String? { journal.lines.last(where: fits) }
}
