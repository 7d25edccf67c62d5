// Answer: what a front said to a question.
//
// Layer      core vocabulary.
// Isolation  value.

/// An answer as it came: encoded from another process, as a value from this one.
public enum Answer: Sendable {
    case payload(Payload)
    case value(any Sendable)

    /// The answer as a `T`; throws `CBORError` when it is none.
    public func decode<T: DirectlyCodable & Sendable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        switch self {
        case .payload(let payload): try payload.decode(type)
        case .value(let value): try Self.cast(value)
        }
    }

    /// As above, for a type that is `Codable` only.
    @_disfavoredOverload
    public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        switch self {
        case .payload(let payload): try payload.decode(type)
        case .value(let value): try Self.cast(value)
        }
    }

    private static func cast<T>(_ value: any Sendable) throws(CBORError) -> T {
        guard let result = value as? T else {
            throw CBORError(.typeMismatch, at: 0, "the answer is no \(T.self)")
        }
        return result
    }
}
