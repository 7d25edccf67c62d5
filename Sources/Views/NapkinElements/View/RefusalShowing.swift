// RefusalShowing: a view that shows the reason for its last refused event.
//
// Ownership  an event under way does not keep its view.

internal import NapkinCore

/// A view whose events may be refused by a handler that throws, or on the way to the handler.
///
/// A refusal concerns only the front that sent the event, and is therefore not a state. Send
/// events with the view's `dispatch`, and show `refusal` where people will read it:
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

    /// The reason for refusing the last event, in words for people; `nil` if it was not refused.
    var refusal: String? { get set }
}

extension RefusalShowing {
    /// Sends an event immediately, up to its first suspension, so that two taps stay in order.
    /// `refusal` becomes `nil`, and stays so until an event is refused.
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

    /// Sends the text that a person has typed into a field, and empties the field. If the event is
    /// refused, the text returns for correction, unless something else has been typed by then.
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
