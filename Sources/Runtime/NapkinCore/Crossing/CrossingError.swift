// CrossingError: the errors that a handler throws to the event's sender, as values.
//
// Spec       Protocol/SPEC.md, section 6.18 (fault)

/// The error type of a listener's method: `func apply(coupon: String) async throws(CartError)`.
///
/// Mark it with `@Message` and give it a value for the faults of the call itself, which no handler
/// throws: the node is gone, the connection is lost, the deadline has passed. An enum needs one
/// line for that.
///
/// ```swift
/// @Message
/// public enum CartError: CrossingError {
///     case unknownCoupon(String)
///     case fault(RemoteFault)
/// }
/// ```
///
/// Its text, `"\(error)"`, crosses with the value: give it a `description` in words for people. A
/// generic view shows the text, and so does a front that does not know the error.
public protocol CrossingError: Error {
    /// The error of a call that ended with `fault` and not with an error of this type.
    static func fault(_ fault: RemoteFault) -> Self
}

extension CrossingError where Self: DirectlyCodable {
    /// Returns the error of a call that ended with `error`. For generated code.
    public static func received(_ error: any Error) -> Self {
        let fault = RemoteFault(reporting: error)
        guard let payload = fault.error else { return .fault(fault) }
        do {
            return try payload.decode()
        } catch {
            // A case or a type of another version of the contract: only its text is readable.
            return .fault(fault)
        }
    }
}

extension RemoteFault {
    /// Creates the fault that carries a handler's error to its caller: as a text and, if it has at
    /// most 64 KiB, as a value.
    public init(carrying error: some CrossingError & DirectlyCodable) {
        // A handler may pass on a fault that it has received. Its code says more than `failed`.
        if let child = Mirror(reflecting: error).children.first, child.label == "fault",
            let fault = child.value as? RemoteFault
        {
            self = fault
            return
        }
        var payload: Payload?
        do {
            payload = try Payload { (writer) throws(CBORError) in try writer.write(error) }
        } catch {
            // The text crosses nevertheless.
        }
        self.init(
            .failed, "\(error)",
            error: payload.flatMap { $0.bytes.count <= Limits.errorBytesMax ? $0 : nil })
    }
}

/// A fault may be part of an error, and crosses as its code and its text.
extension RemoteFault: Codable, DirectlyCodable {
    private struct Fields: Codable {
        var code: String
        var message: String
    }

    public init(from decoder: any Decoder) throws { self.init(try Fields(from: decoder)) }

    public init(from reader: inout CBORReader) throws(CBORError) {
        self.init(try reader.read(Fields.self))
    }

    /// A code of a later version counts as `failed`.
    private init(_ fields: Fields) {
        self.init(Code(rawValue: fields.code) ?? .failed, fields.message)
    }

    public func encode(to encoder: any Encoder) throws {
        try Fields(code: code.rawValue, message: message).encode(to: encoder)
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        try writer.write(Fields(code: code.rawValue, message: message))
    }

    /// Opaque: a contract does not change with the codes.
    public static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "RemoteFault") { _ in }
    }
}
