// URL+DirectlyCodable: URLs as texts.
//
// Isolation  value. Bytes from a peer can never trap here.
// Spec       Protocol/SPEC.md, section 13 (Schema); RFC 3986

public import FoundationEssentials
public import NapkinCoding

/// A URL crosses as its absolute text, of at most 8 KiB.
extension URL: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "URL") { type in type.raw(String.self) }
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        let text = absoluteString
        guard text.utf8.count <= Limits.urlBytesMax else {
            throw CBORError(.lengthExceeded, "a URL of more than \(Limits.urlBytesMax) bytes")
        }
        writer.writeString(text)
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readText(
            as: "a URL in the form of RFC 3986, of at most \(Limits.urlBytesMax) bytes"
        ) { text in
            guard text.utf8.count <= Limits.urlBytesMax else { return nil }
            return URL(string: text, encodingInvalidCharacters: false)
        }
    }
}
