// FoundWords: words that a person looks for, and where a text has them.
//
// Invariant  of a text, at most `lettersMax` letters are searched.

package nonisolated struct FoundWords: Hashable, Sendable {
    /// Letters of the words. Chosen: more than a person types.
    static let wordsMax = 256
    /// Letters of a text that are searched. Chosen: more than a line shows.
    static let lettersMax = 4096

    package let text: String
    private let letters: [Character]

    package init(_ text: String = "") {
        self.text = String(text.prefix(Self.wordsMax))
        letters = self.text.map(Self.folded)
    }

    package var isEmpty: Bool { letters.isEmpty }

    /// Returns the places of the words, by letters; none overlaps another.
    func places(in text: String) -> [Range<Int>] {
        guard let first = letters.first else { return [] }
        let searched = text.prefix(Self.lettersMax).map(Self.folded)
        var places: [Range<Int>] = []
        var index = 0
        while index + letters.count <= searched.count {
            let end = index + letters.count
            if searched[index] == first, searched[index..<end].elementsEqual(letters) {
                places.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return places
    }

    private static func folded(_ letter: Character) -> Character {
        letter.lowercased().first ?? letter
    }
}
