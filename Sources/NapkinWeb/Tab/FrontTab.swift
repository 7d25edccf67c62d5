// FrontTab: a front on a page.
//
// Ownership  owns its front, which ends with it; the tab owns this.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// Shows a front in a tab.
@MainActor
final class FrontTab: TabContent {
    /// How long a value counts as just changed. Chosen, as on a terminal.
    private static let changeTime: Duration = .seconds(2)

    let front: Front
    let component: FrontComponent
    let lag: Lag?
    private(set) weak var tab: WebTab?
    var status: TabStatus { didSet { redraw() } }
    var epoch: UInt32?
    private var beginsAnew = false
    /// Questions that were put to views of this front, which may leave them to the page.
    var asked: [UInt64: (node: UInt32, method: MethodID, payload: Payload)] = [:]

    private(set) lazy var pages: PageComposer = {
        let pages = PageComposer(
            send: { [weak self] in self?.send($0, $1, $2) },
            select: { [weak self] tab, node in
                guard let self else { return }
                dialogs.select(tab, of: node, in: front)
            }, redraw: { [weak self] in self?.redraw() })
        pages.askArguments = { [weak self] node, method, types in
            guard let self else { return }
            dialogs.askArguments(node, method, types, in: front.tree)
        }
        pages.changed = { view in
            let change = view.change
            _ = LoopTimer(after: Self.changeTime) { view.settle(change) }
        }
        return pages
    }()
    private(set) lazy var dialogs: SessionDialogs = SessionDialogs(
        SessionDialogs.Actions(
            send: { [weak self] in self?.send($0, $1, $2) },
            answer: { [weak self] in self?.front.answer($0, $1) },
            redraw: { [weak self] in self?.redraw() },
            notice: { [weak self] in self?.tab?.notice }, say: { [weak self] in self?.say($0) }))

    /// - Parameters:
    ///   - front: the front that is shown; its surface is this from now on.
    ///   - component: has the time of day.
    ///   - hasInspector: whether the page links to the inspector.
    ///   - lag: a slow network that is simulated.
    init(_ front: Front, _ component: FrontComponent, hasInspector: Bool, lag: Lag?) {
        (self.front, self.component, self.lag) = (front, component, lag)
        status = TabStatus(
            app: front.options.app, session: front.options.session ?? front.options.app,
            isReadOnly: front.options.isReadOnly, hasInspector: hasInspector, lag: lag)
        front.surface = self
        front.watchesWorker = true
        front.countsFronts = true
    }

    /// Attaches, and stays until the tab is closed or the session ends.
    func begin(in tab: WebTab) {
        self.tab = tab
        Task {
            switch await front.run() {
            case .detached: status.ended = "left"
            case .failed(let error): status.ended = error.message
            }
        }
    }

    func leave() {
        pages.leave()
        front.detach()
    }

    func redraw() { tab?.redraw() }

    private func send(_ node: UInt32, _ method: MethodID, _ payload: Payload) {
        dialogs.send(payload, as: method, to: node, of: front)
    }

    func say(_ notice: String?) { tab?.say(notice) }

    /// The next tree is another worker's: places in the former tree mean nothing in it.
    func sessionBeganAnew() { beginsAnew = true }

    // MARK: - The page

    var isReady: Bool { front.tree.root != nil }

    func prepare() {
        let tree = front.tree
        let numbers = pages.follow(tree, beginsAnew: beginsAnew)
        dialogs.follow(tree, front.schemas, isRebuilt: numbers != nil, beginsAnew: beginsAnew)
        if numbers != nil { beginsAnew = false }
        pages.schemas = front.schemas
    }

    func compose() -> RenderedPage {
        var page = pages.compose(front.tree.root, dialog: dialogs.shown)
        page.keys += dialogs.aside
        return page
    }

    func finish() {
        pages.finish()
        pages.settle(in: front.tree)
    }

    func commands(besides page: RenderedPage) -> [PaletteCommand] {
        let inspector = PaletteCommand("Inspector", detail: "of all sessions") { [weak tab] in
            tab?.open("inspector")
        }
        return pages.commands(of: front.tree.root, besides: page)
            + (status.hasInspector ? [inspector] : [])
    }

    func state(titled title: String?) -> PageState { status.state(titled: title) }

    func personActed() { dialogs.personActed() }
}
