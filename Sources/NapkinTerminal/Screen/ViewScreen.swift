// ViewScreen: a view of the front itself on the whole terminal, without a session.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  owns focus and scrolling; the view and the window are not its own.
// Invariant  the last drawing decides what input does: a person presses what is visible.

public import NapkinElements

/// Shows a view in which a person makes a choice before a session, or between two.
public final class ViewScreen: WindowContent {
    private let view: any View
    private let window: TerminalWindow?
    private let leave: () -> Void
    private let root = SiteRoot()
    private let focus = FocusRing()
    private var keys: [KeyBinding] = []
    private let tracking: ReadTracking
    private var bar: StatusBar
    private var page: ScreenPage?
    private var size = ScreenSize.smallest
    private var offset = 0
    private var scope = ""

    /// Shows the view at once, instead of the window's former content.
    ///
    /// - Parameters:
    ///   - view: the view that is shown.
    ///   - window: the window that shows it.
    ///   - words: the text of the status line.
    ///   - notice: an error that is shown until the next key.
    ///   - leave: called when the person, or a signal, wants to leave.
    public convenience init(
        _ view: any View, in window: TerminalWindow, saying words: String,
        notice: String? = nil, leave: @escaping () -> Void
    ) {
        self.init(view, window, words, notice, leave)
        window.content = self
    }

    /// Creates a screen without a window, for tests.
    init(
        _ view: any View, _ window: TerminalWindow?, _ words: String, _ notice: String?,
        _ leave: @escaping () -> Void
    ) {
        self.view = view
        self.window = window
        self.leave = leave
        bar = StatusBar(saying: words)
        bar.notice = notice
        tracking = ReadTracking { [weak window] in window?.setNeedsDraw() }
    }

    /// Leaves the window to other content.
    public func close() {
        root.setThere(false)
        if window?.content === self { window?.content = nil }
    }

    private var quitBinding: KeyBinding {
        KeyBinding(.character("q"), "Quit") { [leave] in leave() }
    }

    // MARK: - WindowContent

    func page(_ size: ScreenSize) -> ScreenPage {
        if size != self.size { focus.keepInSight() }
        self.size = size
        var composition = tracking.during(compose)
        let scope = "view" + composition.scope
        if scope != self.scope { (self.scope, offset) = (scope, 0) }
        if focus.settle(composition.targets, in: scope) {
            composition = tracking.during(compose)
        }
        root.setThere(true)
        root.finish()
        let page = ScreenPage(
            composition, bar: bar, keys: keys + [quitBinding], size: size, offset: offset,
            sight: focus.wantsSight ? focus.current : nil)
        focus.wasShown()
        offset = page.offset
        self.page = page
        return page
    }

    private func compose() -> Composition {
        let (elements, turn) = root.evaluate(view, EnvironmentValues())
        keys = elements.keys()
        // If there is room, its title has a separate line, as a session's path has.
        let path = size.height >= ScreenPage.pathHeight ? turn.path : []
        let height = size.height - ScreenPage.barLines - (path.isEmpty ? 0 : 1)
        let pass = LayoutPass(height: height, focus: focus.current)
        pass.showsPath = !path.isEmpty
        let lines = elements.column.draw(in: Area(width: size.width, height: height), pass)
        var composition = Composition(lines: lines, keys: keys)
        composition.targets = pass.targets
        composition.caret = pass.caret
        composition.path = path
        composition.scope = turn.scope
        return composition
    }

    func handle(_ input: TerminalInput) {
        bar.notice = nil
        if case .key(let key) = input {
            pressed(key)
        } else {
            offset = max(0, offset + focus.take(input, on: page))
        }
        window?.setNeedsDraw()
    }

    private func pressed(_ key: Key) {
        if key == .control("c") { return leave() }
        if let target = focus.target {
            if let insert = target.reaction.insert, case .character(let character) = key {
                return insert(String(character))
            }
            if target.reaction.press(key) { return }
        }
        if let binding = (keys + [quitBinding]).first(where: { $0.key == key }) {
            return binding.action()
        }
        switch key {
        case .tab: focus.move(by: 1)
        case .backTab: focus.move(by: -1)
        case .up, .down, .left, .right: _ = focus.move(key)
        case .escape: leave()
        default: break
        }
    }

    func quit() { leave() }

    func notify(_ notice: String) {
        bar.notice = notice
        window?.setNeedsDraw()
    }
}
