// SuggestionTests: what is suggested for a mistyped name, and what is not looked at.

import NapkinProtocol
import Testing

struct SuggestionTests {
    private let known = ["lunch", "launch", "Dinner"]

    @Test func `the nearest name is suggested, whatever its case`() {
        #expect(Suggestion.nearest(to: "luncg", among: known) == "lunch")
        #expect(Suggestion.nearest(to: "lanuch", among: known) == "launch")
        #expect(Suggestion.nearest(to: "DINNRE", among: known) == "Dinner")
        #expect(Suggestion.nearest(to: "d", among: known) == "Dinner")
        #expect(Suggestion.nearest(to: "breakfast", among: known) == nil)
    }

    @Test func `nobody has meant what was typed`() {
        #expect(Suggestion.hint(for: "lunch", among: ["lunch"]) == "")
        #expect(Suggestion.nearest(to: "lunch", among: known) == "launch")
    }

    @Test func `nothing is meant by nothing`() {
        #expect(Suggestion.nearest(to: "", among: ["a"]) == nil)
        #expect(Suggestion.hint(for: "", among: ["a"]) == "")
    }

    @Test(arguments: [-1, 0, 1]) func `the text is limited exactly`(offset: Int) {
        let text = String(repeating: "é", count: Limits.nameBytesMax / 2 - 1)
        let typed = text + String(repeating: "x", count: 2 + offset)
        #expect(typed.utf8.count == Limits.nameBytesMax + offset)
        #expect(Suggestion.nearest(to: typed, among: [text]) == (offset > 0 ? nil : text))
    }
}
