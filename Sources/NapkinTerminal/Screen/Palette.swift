// Palette: everything that can be done on a screen, found by a few letters, as a box over it.
//
// Layer      terminal, screen.
// Isolation  @MainActor; values.
// Invariant  shows at most `shownMax` commands, the best first.

import NapkinElements

/// Something that can be done: a key of the screen, an event of its session, a tab, a command of
/// the program.
package struct PaletteCommand {
    let title: String
    /// Where it belongs, such as its key or its feature.
    let detail: String
    let run: () -> Void
    /// Returns the text that it shows, for so many cells; `nil` if it shows none.
    let text: ((_ width: Int) -> String)?

    package init(_ title: String, detail: String, run: @escaping () -> Void) {
        (self.title, self.detail, self.run) = (title, detail, run)
        text = nil
    }

    /// Creates a command that shows a text, as a box over the screen.
    package init(
        _ title: String, detail: String, text: @escaping (_ width: Int) -> String
    ) {
        (self.title, self.detail, self.text) = (title, detail, text)
        run = {}
    }
}

/// The commands that a few letters find.
struct Palette {
    /// Chosen: what an eye takes in.
    private static let shownMax = 12
    /// Letters that are typed. Chosen: more than a command has.
    static let wordsMax = 64
    /// Commands that are looked through. Chosen: far more than an app's contract has.
    private static let searchedMax = 2000

    let words: String
    private let found: [PaletteCommand]
    private let selected: Int

    /// - Parameters:
    ///   - words: the letters, which a command has in this order.
    ///   - selected: the number of the selected one, limited to those that are found.
    ///   - lines: the lines that the box has for them.
    init(_ commands: [PaletteCommand], words: String, selected: Int, lines: Int = .max) {
        self.words = words
        let wanted = FuzzyMatch(words)
        let scored = commands.prefix(Self.searchedMax).enumerated().compactMap {
            index, command -> (score: Int, index: Int, command: PaletteCommand)? in
            guard let score = wanted.score(of: "\(command.title) \(command.detail)") else {
                return nil
            }
            return (score, index, command)
        }
        found = scored.sorted { ($1.score, $0.index) < ($0.score, $1.index) }
            .prefix(max(1, min(Self.shownMax, lines))).map(\.command)
        self.selected = max(0, min(selected, found.count - 1))
    }

    /// What Enter does.
    var command: PaletteCommand? { found.indices.contains(selected) ? found[selected] : nil }

    /// The number of the selected command after a step, around at the ends.
    func stepped(by step: Int) -> Int {
        found.isEmpty ? 0 : (selected + step + found.count) % found.count
    }

    /// The lines of the box.
    var rows: [StyledLine] {
        guard !found.isEmpty else { return [StyledLine("Nothing has that name.", .secondary)] }
        let width = found.map { CellWidth.cells(of: $0.title) }.max() ?? 0
        return found.enumerated().map { index, command in
            let line =
                StyledLine(command.title).padded(to: width + 2)
                + StyledLine(command.detail, .secondary)
            return index == selected ? line.inRole(.focus) : line
        }
    }
}

/// Letters that a text has in the same order, with others between them.
nonisolated struct FuzzyMatch {
    private let letters: [Character]

    init(_ words: String) {
        letters = words.lowercased().filter { !$0.isWhitespace }.map(\.self)
    }

    /// Returns how well a text fits, or `nil` if it does not: letters that begin a word, or follow
    /// one another, count for more.
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
