// ShortTextTests: what is left of a text that is too long.

import Testing

@testable import NapkinCoding

@Suite struct ShortTextTests {
    @Test(arguments: [9, 10])
    func `a text within the limit stays as it is`(count: Int) {
        let text = String(repeating: "a", count: count)
        #expect(text.shortened(to: 10) == text)
    }

    @Test func `a longer one keeps its beginning, within the limit`() {
        let text = String(repeating: "a", count: 11).shortened(to: 10)
        #expect(text == "aaaaaaa…")
        #expect(text.utf8.count == 10)
    }

    @Test(arguments: 4...40)
    func `no character is cut in two`(limit: Int) {
        let text = String(repeating: "aé€🔥", count: 20)
        let short = text.shortened(to: limit)
        #expect(short.utf8.count <= limit)
        #expect(short.last == "…")
        #expect(text.hasPrefix(short.dropLast()))
    }
}
