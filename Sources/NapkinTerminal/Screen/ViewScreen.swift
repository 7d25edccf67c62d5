// ViewScreen: a view of the front itself on the whole terminal, without a session.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  owns focus and scrolling; the view and the window are not its own.
// Invariant  the last drawing decides what input does: a person presses what is visible.

public import NapkinElements

/// Shows a view in which a person makes a choice before a session, or between two, or a preview.
public final class ViewScreen: WindowContent {
    private let view: LonePage
    private let redraw: () -> Void
    private let leave: () -> Void
    private weak var window: TerminalWindow?
    private let focus = FocusRing()
    /// The keys of whoever shows the view.
    private let others: [KeyBinding]
    private var keys: [KeyBinding] = []
    private var bar: StatusBar
    private var page: ScreenPage?
    /// What the last drawing has shown.
    private(set) var elements: [RenderedElement] = []
    private var size = ScreenSize.smallest
    private var offset = 0
    private var scope = ""
    /// Whether something has changed that the last drawing has read.
    private var isDue = true
    private lazy var tracking = ReadTracking { [weak self] in self?.changed() }

    /// Shows the view at once, instead of the window's former content.
    ///
    /// - Parameters:
    ///   - view: the view that is shown.
    ///   - window: the window that shows it.
    ///   - words: the text of the status line.
    ///   - notice: an error that is shown until the next key.
    ///   - others: keys beside those of the view, which the view cannot take.
    ///   - leave: called when the person, or a signal, wants to leave.
    public convenience init(
        _ view: any View, in window: TerminalWindow, saying words: String,
        notice: String? = nil, others: [KeyBinding] = [], leave: @escaping () -> Void
    ) {
        self.init(
            view, saying: words, others: others,
            redraw: { [weak window] in window?.setNeedsDraw() }, leave: leave)
        bar.notice = notice
        self.window = window
        window.content = self
    }

    /// Creates a screen without a window.
    init(
        _ view: any View, saying words: String = "", others: [KeyBinding] = [],
        redraw: @escaping () -> Void, leave: @escaping () -> Void = {}
    ) {
        self.view = LonePage(view)
        self.others = others
        self.redraw = redraw
        self.leave = leave
        bar = StatusBar(saying: words)
    }

    /// Ends the view, and leaves the window to other content.
    public func close() {
        view.leave()
        if let window, window.content === self { window.content = nil }
    }

    private func changed() {
        isDue = true
        redraw()
    }

    /// A view may use `q` itself, and a text contains it; Ctrl-C always leaves.
    private var quitBinding: KeyBinding {
        let isTaken = focus.takesText || keys.contains { $0.key == .character("q") }
        return KeyBinding(isTaken ? .control("c") : .character("q"), "Quit") { [leave] in leave() }
    }

    /// The name of the element that has the focus.
    var focusedElement: String? { focus.current?.id }

    // MARK: - WindowContent

    func page(_ size: ScreenSize) -> ScreenPage {
        if size != self.size { focus.keepInSight() }
        self.size = size
        isDue = false
        var composition = tracking.during(compose)
        let scope = "view" + composition.scope
        if scope != self.scope { (self.scope, offset) = (scope, 0) }
        if focus.settle(composition.targets, in: scope) {
            composition = tracking.during(compose)
        }
        view.finish()
        keys = composition.keys
        let page = ScreenPage(
            composition, bar: bar, keys: keys + others + [quitBinding], size: size, offset: offset,
            sight: focus.wantsSight ? focus.current : nil)
        focus.wasShown()
        offset = page.offset
        self.page = page
        return page
    }

    private func compose() -> Composition {
        let page = view.compose()
        elements = page.banner + [page.root]
        return ScreenComposer.layOut(
            page, size.width, size.height - ScreenPage.barLines, isLinear: false,
            focus: focus.current, hasRoomForPath: size.height >= ScreenPage.pathHeight,
            hasRoomForTitle: size.height >= ScreenPage.pathHeight)
    }

    func handle(_ input: TerminalInput) {
        if isDue { _ = page(size) }
        bar.notice = nil
        if case .key(let key) = input {
            pressed(key)
        } else {
            offset = max(0, offset + focus.take(input, on: page))
        }
        changed()
    }

    private func pressed(_ key: Key) {
        if key == .control("c") { return leave() }
        if let binding = others.first(where: { $0.key == key }) { return binding.action() }
        if let target = focus.target {
            if let insert = target.reaction.insert, case .character(let character) = key {
                focus.keepInSight()
                return insert(String(character))
            }
            if target.reaction.press(key) { return }
        }
        if let binding = keys.first(where: { $0.key == key }) { return binding.action() }
        if focus.moves(key) { return }
        if let binding = keys.binding(for: key) { return binding.action() }
        if key == quitBinding.key || key == .escape { return leave() }
        offset = size.offset(offset, after: key)
    }

    func quit() { leave() }

    func notify(_ notice: String) {
        bar.notice = notice
        redraw()
    }
}
