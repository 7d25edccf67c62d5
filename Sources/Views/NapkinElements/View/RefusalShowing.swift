// RefusalShowing: a view that shows why its last event was refused.
//
// Ownership  an event under way does not keep its view.

internal import NapkinCore

/// A view whose events may be refused: by their handlers, which throw, or on the way.
///
/// A refusal concerns only the front that has sent the event, and is therefore not a state. Send
/// with the view's `dispatch`, and show `refusal` where people will read it:
///
/// ```swift
/// @Observable
/// final class CartModel: CartPresentable, RefusalShowing {
///     let listener: any CartPresentableListener
///     var refusal: String?
///
///     func lunch() { dispatch { try await $0.apply(coupon: "LUNCH5") } }
/// }
/// ```
@MainActor
public protocol RefusalShowing: AnyObject {
    associatedtype Listener: Sendable

    /// Receives the presenter's events.
    var listener: Listener { get }

    /// Why the last event was refused, in words for people; `nil` if it was not.
    var refusal: String? { get set }
}

extension RefusalShowing {
    /// Sends an event immediately, up to its first suspension, so that two taps stay in order.
    /// `refusal` is `nil` from then on, until one is refused.
    @discardableResult
    public func dispatch(
        _ event: @escaping @MainActor (Listener) async throws -> Void
    ) -> Task<Void, Never> {
        NapkinCore.dispatch { [weak self, listener] in
            self?.refusal = nil
            do {
                try await event(listener)
            } catch {
                self?.refusal = (error as? RemoteFault)?.message ?? "\(error)"
            }
        }
    }

    /// Sends what a person has written in a field, and empties the field. If the event is refused,
    /// the text comes back to be corrected, unless something else has been written by then.
    @discardableResult
    public func dispatch(
        emptying text: Binding<String>,
        _ event: @escaping @MainActor (Listener, _ text: String) async throws -> Void
    ) -> Task<Void, Never> {
        let written = text.wrappedValue
        text.wrappedValue = ""
        return dispatch { listener in
            do {
                try await event(listener, written)
            } catch {
                if text.wrappedValue.isEmpty { text.wrappedValue = written }
                throw error
            }
        }
    }
}
