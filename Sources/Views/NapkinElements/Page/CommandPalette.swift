// CommandPalette: a dialog that finds a page's commands by a few letters, on any screen.
//
// Ownership  keeps its dialog while it is open; the page below belongs to its composer.
// Invariant  shows at most `shownMax` commands of the current page, the best first.

package final class CommandPalette {
    /// Distinguishes an open palette from the pages below it.
    package static let scope = "palette"
    /// Chosen: as many as a person takes in at a glance.
    private static let shownMax = 12
    /// Commands that are searched. Chosen: far more than an app's contract has.
    private static let searchedMax = 2000

    package var commands: (RenderedPage) -> [PaletteCommand] = { _ in [] }
    private let redraw: () -> Void
    private var dialog: Dialog?
    private var page: RenderedPage?

    package init(redraw: @escaping () -> Void) { self.redraw = redraw }

    package var isOpen: Bool { dialog != nil }

    /// The key that opens it, for pages that name their keys.
    package var key: KeyBinding { KeyBinding(":", "Commands") { [weak self] in self?.open() } }

    package func open() {
        dialog = Dialog(id: Self.scope, title: "Commands", view: PaletteView(palette: self))
        redraw()
    }

    fileprivate func close() {
        (dialog, page) = (nil, nil)
        redraw()
    }

    package func over(_ page: RenderedPage) -> RenderedPage {
        guard let dialog else { return page }
        self.page = page
        var covered = RenderedPage(dialog.over(page.root), banner: page.banner)
        (covered.path, covered.scope) = (page.path, page.scope)
        return covered
    }

    /// Marks the palette as visible. Call it once the values that the page read are observed.
    package func finish() { dialog?.finish() }

    /// Returns the commands that contain these letters in this order.
    func found(by words: String) -> [PaletteCommand] {
        guard let page else { return [] }
        var keys: [KeyBinding] = []
        for key in page.keys where !keys.contains(where: { $0.key == key.key }) { keys.append(key) }
        let wanted = FuzzyMatch(words)
        let scored = (keys.map(PaletteCommand.init) + commands(page)).prefix(Self.searchedMax)
            .enumerated().compactMap { index, command in
                wanted.score(of: "\(command.title) \(command.detail)").map { score in
                    (score: score, index: index, command: command)
                }
            }
        return scored.sorted { ($1.score, $0.index) < ($0.score, $1.index) }
            .prefix(Self.shownMax).map(\.command)
    }

    fileprivate func run(_ command: PaletteCommand) {
        close()
        command.run()
    }
}

private struct PaletteView: View {
    let palette: CommandPalette
    @State private var words = ""
    @State private var selected: Int? = 0
    @FocusState private var isWriting: Bool

    var body: some View {
        let found = palette.found(by: words)
        VStack {
            TextField("a few letters", text: typed).onSubmit { run(found) }
                .accessibilityLabel("Command").focused($isWriting).id("command")
            if found.isEmpty { Text("Nothing has that name.").foregroundStyle(.secondary) }
            List(Array(found.enumerated()), id: \.offset, selection: $selected) { _, command in
                Text(command.title)
            } primaryAction: { _, command in
                palette.run(command)
            }
            .withAside(\.element.detail).accessibilityLabel("Commands").id("commands")
        }
        .modified { .modified(.comboBox, $0) }
        .keyBindings(moves(among: found.count))
        .defaultFocus($isWriting, true)
        Flow {
            Button("Do") { run(found) }.disabled(found.isEmpty)
            Button("Close", role: .cancel) { palette.close() }.keyboardShortcut(.escape)
        }
        .padding(.top)
    }

    /// Other letters find other commands; the first of these is the best.
    private var typed: Binding<String> {
        Binding(get: { words }, set: { (words, selected) = ($0, 0) })
    }

    private func run(_ found: [PaletteCommand]) {
        guard let selected, found.indices.contains(selected) else { return }
        palette.run(found[selected])
    }

    /// The keys that select a command while a person types letters, wrapping around at the ends.
    private func moves(among count: Int) -> [KeyBinding] {
        let steps: [(key: Key, step: Int)] = [
            (.down, 1), (.up, -1), (.control("n"), 1), (.control("p"), -1),
        ]
        return steps.map { key, step in
            KeyBinding(key, step > 0 ? "Next" : "Previous", isNamed: false) {
                if count > 0 { selected = ((selected ?? 0) + step + count) % count }
            }
        }
    }
}

/// A command of a page, and its fuzzy match with typed letters.
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

/// Letters that occur in a text in the same order, with others between them.
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
