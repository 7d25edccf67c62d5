// InputRoute: a screen's focus, keys and scroll position, and the route of input through them.
//
// Ownership  keeps the last drawing; the screen owns the drawn content.
// Invariant  the last drawing, and the input since, decide the effect of input.
//
// A console with the focus gets every key except Ctrl-\. Otherwise a key goes to the keys of the
// screen's owner first, and Ctrl-C always leaves; then to the focused element, where Escape leaves
// a text field unless a view has that key; then to the keys of the views, innermost first; then to
// the focus itself (Tab, arrows); then to leaving; then to the keys of vi and less, with the
// meanings that they have there; remaining keys scroll. While the box of keys (`?`) or a filter's
// field (`/`) is open, it gets all keys first.

import NapkinElements

final class InputRoute {
    private enum Mode: Equatable {
        case page
        /// A box with a text, or else with the keys; the page below keeps this scroll offset.
        case help(offset: Int, BoxText?)
        /// The words that filter the focused element.
        case filter
    }

    private struct BoxText: Equatable {
        let title: String
        let rows: [StyledLine]
    }

    /// Cells around a text: the box's border, and a space on each side.
    private static let boxCells = 4

    let focus = FocusRing()
    private var mode = Mode.page
    /// The keys of the screen's owner, which no element can take.
    var others: [KeyBinding] = []
    let palette: CommandPalette
    /// Returns the commands besides the keys of a page and of this screen.
    var commands: (RenderedPage) -> [PaletteCommand] = { _ in [] }
    /// Receives messages about a person's input.
    var say: (String) -> Void = { _ in }
    private let quit: () -> Void
    /// The name of the drawn screen: another one begins at its top.
    private(set) var scope = ""
    private(set) var size = ScreenSize.smallest
    /// Whether a key has acted since the last drawing, so that the page may have changed.
    private(set) var hasActed = false
    private var keys: [KeyBinding] = []
    /// Whether Escape leaves the focused field before anything else.
    private var leavesField = false
    private var page: ScreenPage?
    private var offset = 0
    /// The scroll offset of the page before the palette opened over it.
    private var offsetBelow = 0

    init(quit: @escaping () -> Void, redraw: @escaping () -> Void) {
        self.quit = quit
        palette = CommandPalette(redraw: redraw)
        palette.commands = { [weak self] page in
            guard let self else { return [] }
            return (others + [quitBinding]).map(PaletteCommand.init) + commands(page)
        }
    }

    /// Whether letters are text at the moment.
    var takesText: Bool {
        switch mode {
        case .page: focus.takesText
        case .help: false
        case .filter: true
        }
    }

    /// Whether every key, including those of signals, goes to the focused element at the moment.
    var takesAllKeys: Bool { mode == .page && !palette.isOpen && focus.takesAllKeys }

    // MARK: - Drawing

    /// Draws for a terminal of the given size.
    ///
    /// - Parameters:
    ///   - starts: whether the focus may begin at an element.
    ///   - compose: returns the screen with the current focus, and its name; called again if the
    ///     focus moves.
    func draw(
        _ size: ScreenSize, bar: @autoclosure () -> StatusBar,
        startingAt starts: (FocusKey) -> Bool = { _ in true },
        compose: () -> (PageLayout, scope: String)
    ) -> ScreenPage {
        keepInSight(size)
        self.size = size
        hasActed = false
        var (composition, scope) = compose()
        if palette.isOpen { scope = CommandPalette.scope }
        enter(scope)
        if focus.update(composition.targets, in: scope, startingAt: starts) {
            (composition, _) = compose()
        }
        keys = composition.keys
        leavesField = focus.takesText && !keys.contains { $0.key == .escape && !$0.leavesPage }
        var named = keys
        if leavesField {
            named.removeAll { $0.key == .escape }
            named.append(KeyBinding(.escape, "Leave field") { [focus] in focus.leave() })
        }
        if let words = filtered?.reaction.words, !words.isEmpty {
            named.append(KeyBinding(.escape, "All, not only \(words.text)") {})
        }
        named += others + [quitBinding]
        if focus.takesAllKeys {
            leavesField = false
            named = [KeyBinding(.leavesConsole, "Leave") { [focus] in focus.leave() }]
        }
        if case .help(let before, let text) = mode {
            let rows = text?.rows ?? KeyHelp(keys + others, canFilter: focus.filterable != nil).rows
            composition = composition.covered(
                by: rows, titled: text?.title ?? "Keys", in: size, from: before)
            named = [KeyBinding(.escape, "Close") {}]
        }
        let page = ScreenPage(
            composition, bar: bar(), keys: named, prompt: prompt, size: size,
            offset: offset, sight: focus.wantsSight ? focus.current : nil,
            takesText: focus.takesText)
        focus.wasShown()
        offset = page.offset
        self.page = page
        return page
    }

    /// Begins at the top of another screen. Only closing the palette restores the former place, or
    /// opens a text that one of its commands shows.
    private func enter(_ scope: String) {
        guard scope != self.scope else { return }
        let isBack = self.scope == CommandPalette.scope
        self.scope = scope
        if isBack, mode != .page { return }
        (offset, mode) = (isBack ? offsetBelow : 0, .page)
    }

    /// Keeps the focused element visible when the terminal's size changes. A text field also stays
    /// visible when something above it grows, unless a person has scrolled away from it.
    private func keepInSight(_ size: ScreenSize) {
        guard let focused = focus.current, let page, page.seen.contains(focused) else { return }
        if size != self.size || (focus.takesText && offset == page.offset) { focus.keepInSight() }
    }

    /// The focused element, if it can be filtered.
    private var filtered: FocusTarget? {
        focus.target.flatMap { $0.reaction.filter == nil ? nil : $0 }
    }

    /// The typed words, in place of the line of keys.
    private var prompt: StyledLine? {
        guard mode == .filter, let words = filtered?.reaction.words else { return nil }
        return StyledLine("/\(words.text)▏  ") + KeyBinding(.enter, "Done") {}.hint
            + StyledLine("  ") + KeyBinding(.escape, "All") {}.hint
    }

    /// `q` leaves only where no view or text uses it; Ctrl-C always leaves.
    private var quitBinding: KeyBinding {
        let isTaken = focus.takesText || keys.contains { $0.key == .character("q") }
        return KeyBinding(isTaken ? .control("c") : .character("q"), "Quit", action: quit)
    }

    /// Makes the next drawing begin at its top, unrelated to this one.
    func forget() {
        focus.forget()
        offset = 0
    }

    // MARK: - Input

    func take(_ input: TerminalInput) {
        let key: Key
        switch input {
        case .key(let pressed): key = pressed
        case .paste(let text), .letters(let text):
            if case .help = mode { return closeHelp() }
            if mode == .filter { return filter(adding: text) }
            hasActed = true
            guard let reaction = focus.target?.reaction else { return }
            if let type = reaction.type, case .letters = input { return type(text) }
            if let insert = reaction.insert { self.insert(text, by: insert) }
            return
        case .click, .wheel:
            if case .help = mode, case .click = input { return closeHelp() }
            hasActed = true
            offset = max(0, offset + focus.take(input, on: page))
            return
        }
        if takesAllKeys, let target = focus.target {
            hasActed = true
            if key == .leavesConsole { return focus.leave() }
            _ = target.reaction.press(key)
            return
        }
        if key == .control("c") { return quit() }
        if case .help = mode { return readHelp(key) }
        if mode == .filter, filter(by: key) { return }
        if let binding = others.first(where: { $0.key == key }) { return binding.action() }
        if let target = focus.target {
            if let insert = target.reaction.insert, case .character(let character) = key {
                return self.insert(String(character), by: insert)
            }
            if target.reaction.press(key) {
                hasActed = true
                return
            }
        }
        if leavesField, key == .escape, focus.takesText { return focus.leave() }
        if key == .escape, let filtered, !filtered.reaction.words.isEmpty {
            return filter(filtered, by: "")
        }
        if let binding = keys.first(where: { $0.key == key }) { return run(binding) }
        if focus.moves(key) { return }
        if let binding = keys.binding(for: key) { return run(binding) }
        if key == quitBinding.key { return quit() }
        if takesCommon(key) { return }
        offset = size.offset(offset, after: key)
    }

    // MARK: - Keys of vi and less

    private static let arrows: [Key: Key] = ["j": .down, "k": .up, "g": .home, "G": .end]

    /// Performs a key that works everywhere; returns false for any other key.
    private func takesCommon(_ key: Key) -> Bool {
        switch key {
        case "j", "k", "g", "G": take(.key(Self.arrows[key] ?? key))
        case .control("d"): moveHalf(.down, or: .pageDown)
        case .control("u"): moveHalf(.up, or: .pageUp)
        case .leavesConsole:
            hasActed = focus.enterConsole()
            return hasActed
        case "?", .function(1): (mode, offset) = (.help(offset: offset, nil), 0)
        case "/": return beginFilter()
        case ":":
            (offsetBelow, hasActed) = (offset, true)
            palette.open()
        case "n": return moveToMatch(.down, around: .home)
        case "N": return moveToMatch(.up, around: .end)
        default: return false
        }
        return true
    }

    /// Scrolls the box of keys; any other key closes it.
    private func readHelp(_ key: Key) {
        let halves: [Key: Key] = [.control("d"): .pageDown, .control("u"): .pageUp]
        let meant = Self.arrows[key] ?? halves[key] ?? key
        switch meant {
        case .up, .down, .pageUp, .pageDown, .home, .end, " ":
            offset = size.offset(offset, after: meant)
        default: closeHelp()
        }
    }

    private func closeHelp() {
        if case .help(let before, _) = mode { (mode, offset) = (.page, before) }
        hasActed = true
    }

    /// Moves by half the focused element's height; scrolls the page if the element does not move.
    private func moveHalf(_ step: Key, or page: Key) {
        guard let target = focus.target, target.reaction.press(step) else {
            if focus.target?.reaction.press(page) == true {
                hasActed = true
                return
            }
            let lines = max(1, (size.height - ScreenPage.barLines) / 2)
            offset = max(0, offset + (step == .up ? -lines : lines))
            return
        }
        hasActed = true
        for _ in 1..<max(1, target.area.height / 2) where !target.reaction.press(step) { return }
    }

    // MARK: - Filtering

    private func beginFilter() -> Bool {
        guard let target = focus.filterable else { return false }
        focus.focus(target.key)
        mode = .filter
        return true
    }

    /// Goes to the next matching row, wrapping around at the ends.
    private func moveToMatch(_ step: Key, around: Key) -> Bool {
        guard let filtered, !filtered.reaction.words.isEmpty else { return false }
        hasActed = true
        if !filtered.reaction.press(step) { _ = filtered.reaction.press(around) }
        return true
    }

    /// Handles a key that edits or ends the filter; returns false for any other.
    private func filter(by key: Key) -> Bool {
        guard let filtered else {
            mode = .page
            return false
        }
        let words = filtered.reaction.words.text
        switch key {
        case .character(let letter): filter(filtered, by: words + String(letter))
        case .backspace where !words.isEmpty: filter(filtered, by: String(words.dropLast()))
        case .backspace, .enter: mode = .page
        case .escape:
            mode = .page
            filter(filtered, by: "")
        case .up, .down, .pageUp, .pageDown, .home, .end: return false
        default:
            mode = .page
            return false
        }
        return true
    }

    private func filter(adding text: String) {
        guard let filtered else { return }
        let line = text.prefix { !$0.isNewline }
        filter(filtered, by: filtered.reaction.words.text + line)
    }

    private func filter(_ target: FocusTarget, by words: String) {
        hasActed = true
        target.reaction.filter?(FoundWords(words))
    }

    // MARK: - Texts

    /// Shows a text in a box over the screen, until a key closes it.
    func show(_ title: String, _ text: (_ width: Int) -> String) {
        let rows = text(size.width - Self.boxCells)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { StyledLine(String($0)) }
        (mode, offset) = (.help(offset: offset, BoxText(title: title, rows: rows)), 0)
        hasActed = true
    }

    // MARK: - Fields and bindings

    /// Keeps the field in which a person writes visible.
    private func insert(_ text: String, by insert: (String) -> Bool) {
        focus.keepInSight()
        if insert(text) { return }
        say("the field is full: it takes \(FieldMemory.bytesMax) bytes, and the rest is left out")
    }

    private func run(_ binding: KeyBinding) {
        hasActed = true
        offset = 0
        binding.action()
    }
}
