// TraceParent: the trace in which a caller acts, in a line of text.
//
// Source     W3C Trace Context, 3.2 (Traceparent Header)

/// A valid `traceparent` of version 00, or what a later version has of it.
public struct TraceParent: Equatable, Sendable {
    /// version, trace-id, parent-id and trace-flags, in hexadecimal digits
    private static let digits = [2, 32, 16, 2]
    private static let byteCount = 55

    /// The text as it came, without what a later version has added.
    public let text: String

    /// Returns `nil` for a text that the standard calls invalid, which is then ignored.
    public init?(_ text: String) {
        let bytes = text.utf8
        let head = bytes.prefix(Self.byteCount)
        let isWhole = bytes.count == Self.byteCount
        guard isWhole || bytes.dropFirst(Self.byteCount).first == UInt8(ascii: "-") else {
            return nil
        }
        let fields = head.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard fields.map(\.count) == Self.digits,
            fields.joined().allSatisfy(Self.isDigit),
            !fields[0].elementsEqual("ff".utf8),
            isWhole || !fields[0].elementsEqual("00".utf8),
            fields[1...2].allSatisfy({ !$0.allSatisfy { $0 == UInt8(ascii: "0") } })
        else { return nil }
        self.text = String(decoding: head, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    public var traceID: String { String(text.dropFirst(3).prefix(32)) }

    /// The caller's span.
    public var parentID: String { String(text.dropFirst(36).prefix(16)) }

    /// Whether the caller may have kept its span: otherwise nobody needs what belongs to it.
    public var isSampled: Bool { text.suffix(1).contains { "13579bdf".contains($0) } }
}
