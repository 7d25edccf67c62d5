// PaletteCommand: a command of a page, and its fuzzy match with typed letters.

package struct PaletteCommand {
    package let title: String
    /// Its origin, such as its key or its feature.
    package let detail: String
    package let run: () -> Void

    package init(_ title: String, detail: String, run: @escaping () -> Void) {
        (self.title, self.detail, self.run) = (title, detail, run)
    }

    package init(_ binding: KeyBinding) {
        self.init(binding.label, detail: binding.key.label, run: binding.action)
    }
}

/// Letters that a text has in the same order, with others between them.
nonisolated struct FuzzyMatch {
    /// Letters that are compared. Chosen: more than a command has.
    private static let lettersMax = 64
    private let letters: [Character]

    init(_ words: String) {
        letters = words.lowercased().filter { !$0.isWhitespace }.prefix(Self.lettersMax).map(\.self)
    }

    /// Returns a text's score, or `nil` without a match: letters that begin a word, or are
    /// adjacent, count for more.
    func score(of text: String) -> Int? {
        var score = 0
        var wanted = letters[...]
        var last: Character = " "
        var isRun = false
        for letter in text {
            guard let next = wanted.first else { break }
            if letter.lowercased() == String(next) {
                let begins =
                    !last.isLetter && !last.isNumber || letter.isUppercase && last.isLowercase
                score += 1 + (isRun ? 3 : 0) + (begins ? 2 : 0)
                wanted.removeFirst()
                isRun = true
            } else {
                isRun = false
            }
            last = letter
        }
        return wanted.isEmpty ? score : nil
    }
}
