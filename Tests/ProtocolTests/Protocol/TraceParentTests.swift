// TraceParentTests: which texts are a trace's context, and what they say.

import NapkinProtocol
import Testing

struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    private func parsed(
        _ version: String = "00", _ trace: String = trace, _ span: String = span,
        _ flags: String = "01", more: String = ""
    ) -> TraceParent? { TraceParent("\(version)-\(trace)-\(span)-\(flags)\(more)") }

    @Test func `a valid one has the ids and a flag`() throws {
        let parent = try #require(parsed())
        #expect(parent.traceID == Self.trace && parent.parentID == Self.span && parent.isSampled)
        #expect(parent.text == "00-\(Self.trace)-\(Self.span)-01")
        #expect(parsed("00", Self.trace, Self.span, "02")?.isSampled == false)
        #expect(parsed("00", Self.trace, Self.span, "ff")?.isSampled == true)
    }

    @Test func `a later version may have more, which is left out`() {
        #expect(parsed("01", more: "-what.the-future")?.text == parsed("01")?.text)
        #expect(parsed("01", more: ".what") == nil)
        #expect(parsed("00", more: "-what") == nil)
    }

    @Test func `anything else is ignored`() {
        let zeros = String(repeating: "0", count: 32)
        for wrong in [
            parsed("ff"), parsed("0"), parsed("00", zeros), parsed("00", Self.trace, "\(zeros)"),
            parsed("00", Self.trace, String(zeros.prefix(16))),
            parsed("00", Self.trace.uppercased()), parsed("00", Self.trace, Self.span, "0g"),
            TraceParent(""), TraceParent("00"), TraceParent(String(repeating: "-", count: 55)),
        ] { #expect(wrong == nil) }
        let whole = "00-\(Self.trace)-\(Self.span)-01"
        for count in 0..<whole.count { #expect(TraceParent(String(whole.prefix(count))) == nil) }
        #expect(TraceParent(whole + "é") == nil)
    }
}
