// Scalar: converts a field's text to a value of the field's type.
//
// Spec       Protocol/SPEC.md, section 13 (Schema); RFC 4648, section 4

internal import NapkinCoding
internal import NapkinCore

/// The reason why a text does not have the field's type.
nonisolated struct FormProblem: Error, Hashable {
    let text: String

    init(_ text: String) { self.text = text }
}

nonisolated enum Scalar {
    static func isKnown(_ name: String) -> Bool {
        ["String", "Double", "Float", "Bool", "[UInt8]"].contains(name)
            || TypeReference.bounds(of: name) != nil
    }

    static func value(of text: String, as name: String) -> Result<Datum, FormProblem> {
        if name == "String" { return .success(.text(text)) }
        let trimmed = text.trimmed
        if let range = TypeReference.bounds(of: name) { return integer(trimmed, name, range) }
        switch name {
        case "Bool":
            return trimmed == "true" || trimmed == "false"
                ? .success(.bool(trimmed == "true")) : .failure(FormProblem("true or false"))
        case "Double", "Float":
            guard let value = Double(trimmed), value.isFinite else {
                return .failure(FormProblem("a number is needed, such as 2.5"))
            }
            guard name == "Double" || Float(value).isFinite else {
                return .failure(FormProblem("too large for a Float"))
            }
            return .success(.double(value))
        case "[UInt8]":
            guard let bytes = bytes(trimmed) else {
                return .failure(FormProblem("bytes are written as base64, such as cmlicw=="))
            }
            return .success(.bytes(bytes))
        default: return json(text)
        }
    }

    private static func integer(
        _ text: String, _ name: String, _ range: (least: Int64, greatest: UInt64)
    ) -> Result<Datum, FormProblem> {
        if let value = UInt64(text), value <= range.greatest { return .success(.unsigned(value)) }
        if let value = Int64(text), value < 0, value >= range.least {
            return .success(.signed(value))
        }
        let isNumber = !text.isEmpty && text.drop { $0 == "-" || $0 == "+" }.allSatisfy(\.isNumber)
        return .failure(
            FormProblem(
                isNumber
                    ? "\(name) goes from \(range.least) to \(range.greatest)"
                    : "a whole number is needed"))
    }

    /// Parses any value as JSON.
    static func json(_ text: String) -> Result<Datum, FormProblem> {
        guard !text.trimmed.isEmpty else { return .failure(FormProblem("JSON is needed")) }
        do {
            return .success(try Datum(Payload(try JSONToCBOR.transcode(Array(text.utf8)))))
        } catch let error as JSONError {
            return .failure(FormProblem("byte \(error.offset): \(error.detail)"))
        } catch {
            return .failure(FormProblem("\(error)"))
        }
    }

    /// Parses padded Base64.
    static func bytes(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes(Base64.decode)
    }
}
