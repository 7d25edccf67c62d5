// ViewScreen: a view without a session on the whole terminal.
//
// Ownership  others own the view and the window.

package import NapkinElements

package final class ViewScreen: WindowContent {
    private let view: StandalonePage
    private let redraw: () -> Void
    private let leave: () -> Void
    private weak var window: TerminalWindow?
    let route: InputRoute
    private let words: () -> String
    private var bar = StatusBar(saying: "")
    private var notice: String?
    /// The content of the last drawing.
    private(set) var elements: [RenderedElement] = []
    /// Whether a value that the last drawing read has changed.
    private(set) var isDue = true
    private lazy var tracking = ReadTracking { [weak self] in self?.changed() }

    /// Shows the view at once, instead of the window's former content.
    package convenience init(
        _ view: any View, in window: TerminalWindow,
        saying words: @escaping @autoclosure () -> String, notice: String? = nil,
        others: [KeyBinding] = [], leave: @escaping () -> Void
    ) {
        self.init(
            view, saying: words(), others: others,
            redraw: { [weak window] in window?.setNeedsDraw() }, leave: leave)
        self.notice = notice
        self.window = window
        window.content = self
    }

    /// Creates a screen without a window.
    init(
        _ view: any View, saying words: @escaping @autoclosure () -> String = "",
        others: [KeyBinding] = [],
        redraw: @escaping () -> Void, leave: @escaping () -> Void = {}
    ) {
        self.view = StandalonePage(view)
        route = InputRoute(quit: leave, redraw: redraw)
        route.others = others
        self.redraw = redraw
        self.leave = leave
        self.words = words
        route.say = { [weak self] in self?.notify($0) }
    }

    /// Ends the view, and leaves the window to other content.
    package func close() {
        view.leave()
        if let window, window.content === self { window.content = nil }
    }

    /// Offers commands besides the view's keys.
    package func offer(_ commands: [PaletteCommand]) { route.commands = { _ in commands } }

    /// Shows a text in a box over the screen, until a key closes it.
    package func show(_ title: String, _ text: (_ width: Int) -> String) {
        route.show(title, text)
        redraw()
    }

    /// Presses a key, as a person does.
    package func press(_ key: Key) { handle(.key(key)) }

    private func changed() {
        isDue = true
        redraw()
    }

    // MARK: - WindowContent

    func page(_ size: ScreenSize) -> ScreenPage {
        route.draw(size, bar: bar) {
            isDue = false
            let composition = tracking.during {
                bar = StatusBar(saying: words())
                return compose(size)
            }
            bar.notice = notice
            view.finish()
            route.palette.finish()
            return (composition, "view" + composition.scope)
        }
    }

    private func compose(_ size: ScreenSize) -> PageLayout {
        let composition = PageLayout(
            route.palette.over(view.compose()), width: size.width,
            height: size.height - ScreenPage.barLines, focus: route.focus,
            hasRoomForPath: size.height >= ScreenPage.pathHeight,
            hasRoomForTitle: size.height >= ScreenPage.pathHeight)
        elements = composition.elements
        return composition
    }

    func handle(_ input: TerminalInput) {
        drawIfNeeded()
        notice = nil
        route.take(input)
        redraw()
    }

    func quit() { leave() }

    package func notify(_ notice: String) {
        self.notice = notice
        redraw()
    }

    /// Removes a notice, unless another has taken its place.
    package func withdraw(_ notice: String) {
        guard self.notice == notice else { return }
        self.notice = nil
        redraw()
    }
}
