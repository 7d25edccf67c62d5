// RefusalShowing: a view that shows why its last event was refused.
//
// Layer      terminal, views.
// Isolation  @MainActor.
// Ownership  a view is not kept for an event that is under way.

internal import NapkinCore

/// A view whose events may be refused: by their handlers, which throw, or on the way.
///
/// A refusal is the business of the front that has sent the event, and so no state. Send with the
/// view's own `dispatch`, and show `refusal` where it is read:
///
/// ```swift
/// final class CartView: CartPresentable, ElementView, RefusalShowing {
///     let redraw = Redraw()
///     var refusal: String?
///     var body: Elements {
///         if let refusal { Text(refusal, .error, wraps: true) }
///         Button("Lunch", key: .character("l")) { [weak self] in
///             self?.dispatch { try await $0.apply(coupon: "LUNCH5") }
///         }
///     }
/// }
/// ```
@MainActor
public protocol RefusalShowing: TerminalView {
    associatedtype Listener: Sendable

    /// Where the view's events go.
    var listener: Listener { get }

    /// Why the last event was refused, in words for people; `nil` when it was not.
    var refusal: String? { get set }
}

extension RefusalShowing {
    /// Sends an event at once, up to its first suspension, so that two taps stay in order. When it
    /// is answered, `refusal` says why it was refused, or nothing any more.
    @discardableResult
    public func dispatch(
        _ event: @escaping @MainActor (Listener) async throws -> Void
    ) -> Task<Void, Never> {
        NapkinCore.dispatch { [weak self, listener] in
            var refusal: String?
            do {
                try await event(listener)
            } catch {
                refusal = (error as? RemoteFault)?.message ?? "\(error)"
            }
            self?.refusal = refusal
            self?.invalidate()
        }
    }
}
