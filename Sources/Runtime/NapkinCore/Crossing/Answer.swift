// Answer: a front's answer to a question.

/// An answer in the form in which it came: encoded from another process, a value from this one.
public enum Answer: Sendable {
    case payload(Payload)
    case value(any Sendable)

    /// Returns the answer as a `T`; throws `CBORError` if it is not one.
    public func decode<T: DirectlyCodable & Sendable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        switch self {
        case .payload(let payload): try payload.decode(type)
        case .value(let value): try Self.cast(value)
        }
    }

    /// Returns the answer as a type that is only `Codable`.
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
            throw CBORError(.typeMismatch, at: 0, "the answer is not of type \(T.self)")
        }
        return result
    }
}
