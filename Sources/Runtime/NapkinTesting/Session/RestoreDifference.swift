// RestoreDifference: a state or feature that a restore may lose or change in a session under test.

import NapkinCoding
import NapkinCore

/// A difference that a restore is expected to make.
///
/// ```swift
/// let session = await TestSession.launch(
///     CartApp.self, isDurable: true,
///     losing: ["cart.card", RestoreDifference("cart.cart present(notice:)", comesBackAs: nil)])
/// ```
public struct RestoreDifference: Hashable, Sendable, ExpressibleByStringLiteral {
    let subject: String
    /// Whether the value is the only one that is expected.
    let isExact: Bool
    let value: Payload?

    /// A state, `cart.cart present(notice:)`, which may come back with any value; or a feature,
    /// `cart.card`, which does not come back, and neither does anything below it.
    public init(stringLiteral subject: String) {
        (self.subject, isExact, value) = (subject, false, nil)
    }

    /// A state that comes back with this value, whatever it was before; `nil` means that it is not
    /// presented, or is presented as `nil`. Traps if the value cannot be encoded.
    public init(_ state: String, comesBackAs value: (any Encodable)?) {
        (subject, isExact) = (state, true)
        do {
            self.value = try value.map { value in
                var writer = CBORWriter()
                try writer.write(value)
                return Payload(writer.copyBytes())
            }
        } catch {
            preconditionFailure("what \(state) comes back as cannot be encoded: \(error)")
        }
    }
}
