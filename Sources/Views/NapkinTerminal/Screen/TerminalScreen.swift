// TerminalScreen: a session on a terminal: its page in cells, with a focus, and a person's input.
//
// Ownership  owns the session's screen; the window has another owner, and holds this screen weakly.
//
// A test uses it as a person does, without a window.
//
// Keys that arrive together are handled one after another, each on the page that the previous one
// left: a person who knows a form's keys can write into it before it is visible.

internal import NapkinCore
package import NapkinElements
package import NapkinFront

package final class TerminalScreen: WindowContent {
    let session: SessionScreen
    private let window: TerminalWindow?
    private let ended: (TerminalError?) -> Void
    let route: InputRoute
    private var isClosed = false
    /// Distinguishes the pages of the visible views.
    private var ownPages = ""
    /// The key that leads to other sessions, whatever has the focus.
    var list: KeyBinding? {
        get { route.others.first }
        set { route.others = [newValue].compactMap(\.self) }
    }
    /// The commands of the screen's owner, listed after the session's.
    var programs: [PaletteCommand] = []

    /// Opens the window once the front has attached, so that an earlier failure is plain text.
    ///
    /// - Parameters:
    ///   - front: the shown front; this screen becomes its surface.
    ///   - component: the facts about the terminal.
    ///   - window: the window; its other content is no longer shown.
    ///   - list: a key that leads to other sessions.
    ///   - ended: called when the user or a signal ends the front, or with an error if the terminal
    ///     cannot be used; detach the front there, and close the screen.
    package convenience init(
        front: Front, component: TerminalComponent, in window: TerminalWindow,
        list: KeyBinding? = nil, ended: @escaping (TerminalError?) -> Void
    ) {
        self.init(SessionScreen(front, component), in: window, ended: ended)
        front.timesEvents = true
        front.countsFronts = true
        self.list = list
        session.redraw = { [weak self] in self?.setNeedsDraw() }
        session.ring = { [weak window] in window?.ring($0, of: front.options.app) }
        window.content = self
    }

    /// Creates a screen with or without a window.
    init(
        _ session: SessionScreen, in window: TerminalWindow? = nil,
        ended: @escaping (TerminalError?) -> Void
    ) {
        (self.session, self.window, self.ended) = (session, window, ended)
        route = InputRoute(quit: { ended(nil) }, redraw: { [session] in session.redraw() })
        route.commands = { [weak self] page in
            self.map { $0.session.commands(besides: page) + $0.programs } ?? []
        }
        route.say = { [session] in session.notice.say($0) }
    }

    /// Leaves the window to other content, or to be closed. A second call does nothing.
    package func close() {
        isClosed = true
        session.leave()
        if let window, window.content === self { window.content = nil }
    }

    private func setNeedsDraw() {
        guard let window, !isClosed else { return }
        do {
            if session.status.connection == .connected { try window.open() }
        } catch {
            ended(error)
        }
        window.setNeedsDraw()
    }

    /// Offers commands besides those of the session.
    package func offer(_ commands: [PaletteCommand]) { programs = commands }

    /// Shows a text in a box over the screen, until a key closes it.
    package func show(_ title: String, _ text: (_ width: Int) -> String) {
        route.show(title, text)
        session.redraw()
    }

    // MARK: - Drawing

    func page(_ size: ScreenSize) -> ScreenPage {
        if let numbers = session.follow() { resetFocus(numbers) }
        let bar = { [session] in StatusBar(session.status, notice: session.notice.text) }
        return route.draw(size, bar: bar(), startingAt: isInFront) {
            let composition = session.draw { page in
                PageLayout(
                    route.palette.over(page), width: size.width,
                    height: size.height - ScreenPage.barLines, focus: route.focus,
                    hasRoomForPath: size.height >= ScreenPage.pathHeight)
            }
            route.palette.finish()
            ownPages = session.dialogs.shown == nil ? composition.scope : ""
            return (composition, scope(session.dialogs.shown) + ownPages)
        }
    }

    /// The name of the current screen: another view that covers the rest makes another screen.
    private func scope(_ dialog: Dialog?) -> String {
        dialog?.id ?? session.front.tree.root.map { "node \(front(of: $0).id)" } ?? ""
    }

    /// Returns the node that covers the others, in whole or in part.
    private func front(of node: FrontNode) -> FrontNode {
        if let cover = session.pages.cover(of: node) { return front(of: cover) }
        let fronts = node.children.filter { $0.presentation == .embed }.map { ($0, front(of: $0)) }
        return fronts.last { $0.0 !== $0.1 }?.1 ?? node
    }

    /// Whether an element belongs to the covering node, where the focus begins.
    private func isInFront(_ key: FocusKey) -> Bool {
        let tree = session.front.tree
        guard let root = tree.root else { return false }
        let front = front(of: root)
        var node = tree.node(key.node)
        while let inner = node, inner !== front { node = tree.node(inner.parent) }
        return node != nil
    }

    /// Starts on another worker's tree. The focus stays only where a person was writing or filling
    /// in a form: their letters must not become keys.
    ///
    /// - Parameter numbers: the new numbers of the nodes that both trees contain.
    private func resetFocus(_ numbers: [UInt32: UInt32]) {
        let focus = route.focus
        let current = focus.current
        let writing = focus.takesText ? current.flatMap { $0.moved(to: numbers) } : nil
        let form = session.dialogs.openForm
        let isInForm = form.map { $0.id == route.scope } ?? false
        route.forget()
        if let writing { focus.expect(writing, in: scope(nil) + ownPages) }
        if isInForm, let current, let form { focus.expect(current, in: form.id) }
    }

    // MARK: - Input

    var isDue: Bool { session.isDue }

    func handle(_ input: TerminalInput) {
        drawIfNeeded()
        session.personActed()
        route.take(input)
        session.redraw()
    }

    func quit() { ended(nil) }

    /// Shows an error for a while, at most until the next key.
    package func notify(_ notice: String) { session.notice.say(notice) }
}

extension FocusKey {
    /// Returns the key of the element at the same place in a rebuilt tree.
    fileprivate func moved(to numbers: [UInt32: UInt32]) -> FocusKey? {
        numbers[node].map { FocusKey(node: $0, id: id) }
    }
}
