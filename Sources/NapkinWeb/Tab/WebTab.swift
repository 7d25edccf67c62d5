// WebTab: a front in a tab of a browser.
//
// Layer      web, tab.
// Isolation  @MainActor: events of the page come here from the server's thread.
// Ownership  owns its front, which ends with it; its connection comes and goes.
// Invariant  at most one message to the page is being written; what changes meanwhile is in the
//            next one, so that a slow page costs one page's memory and misses only what is old.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// A page's connection.
@MainActor
protocol TabLine: AnyObject {
    /// Writes a message; `written` is called when it has left.
    func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void)
    func close()
}

/// Shows a front on a page, and does what a person does there.
@MainActor
final class WebTab: Flushable {
    /// How long a value counts as just changed, and a notice is shown. Chosen, as on a terminal.
    private static let changeTime: Duration = .seconds(2)
    private static let noticeTime: Duration = .seconds(20)

    var isFlushScheduled = false
    let name: String
    let front: Front
    let component: FrontComponent
    private let names = ElementNames()
    private(set) var line: (any TabLine)?
    /// How often the page has connected.
    private(set) var connections = 0
    /// What the page has, and was told of the connection.
    private var shown: HTMLNode?
    private var shownState: PageState?
    private var shownAcknowledged = 0
    /// The newest page, and what its elements do.
    private var made: HTMLNode?
    var targets: [String: PageTarget] = [:]
    var focuses: [(id: String, isFocused: Binding<Bool>)] = []
    var keys: [KeyBinding] = []
    private var title: String?
    private var isDue = true
    private var isWriting = false
    /// The element that has the focus, and the one that is to get it.
    var focused: String?
    var wanted: String?
    /// The list whose words the person writes.
    var filtered: String?
    var acknowledged = 0
    var status: TabStatus { didSet { redraw() } }
    var epoch: UInt32?
    /// Whether the page has said that it does not come back.
    var hasLeft = false
    private var beginsAnew = false
    private var notices = 0
    /// Questions that were put to views of this front, which may leave them to the page.
    var asked: [UInt64: (node: UInt32, method: MethodID, payload: Payload)] = [:]

    private(set) lazy var pages: PageComposer = {
        let pages = PageComposer(
            send: { [weak self] in self?.send($1, to: $0, $2) },
            select: { [weak self] tab, node in
                self?.request { (front) throws(RemoteFault) in
                    try await front.select(tab: tab, of: node)
                }
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
    private(set) lazy var dialogs = SessionDialogs(
        SessionDialogs.Actions(
            send: { [weak self] in self?.send($1, to: $0, $2) },
            answer: { [weak self] in self?.front.answer($0, $1) },
            redraw: { [weak self] in self?.redraw() }, say: { [weak self] in self?.say($0) }))
    private lazy var tracking = ReadTracking { [weak self] in self?.redraw() }

    /// - Parameters:
    ///   - name: the name under which the page finds the tab again.
    ///   - front: the front that is shown; its surface is the tab from now on.
    ///   - component: has the time of day.
    init(_ name: String, _ front: Front, _ component: FrontComponent) {
        self.name = name
        self.front = front
        self.component = component
        status = TabStatus(
            app: front.options.app, session: front.options.session ?? front.options.app,
            isReadOnly: front.options.isReadOnly)
        front.surface = self
        front.watchesWorker = true
        front.countsFronts = true
    }

    /// Attaches, and stays until the tab is closed or the session ends.
    func run() async {
        switch await front.run() {
        case .detached: status.ended = "left"
        case .failed(let error): status.ended = error.message
        }
    }

    /// Tells the page that its server ends.
    func sayServerEnds() {
        status.ended = "`napkin-client web` has ended: run it again, and open its new address"
        var message = PageMessage(state: status.state(titled: title))
        message.acknowledged = acknowledged
        if let text = message.text { line?.send(text) {} }
    }

    /// Ends the front: nobody looks at it any more.
    func close() {
        line?.close()
        line = nil
        pages.leave()
        front.detach()
    }

    // MARK: - The page

    /// The page has a new connection, which begins with all of it.
    func connect(_ line: any TabLine) {
        self.line?.close()
        self.line = line
        connections += 1
        (shown, shownState, isWriting) = (nil, nil, false)
        redraw()
    }

    /// A connection has ended; returns whether it was the page's newest one.
    func disconnect(_ line: any TabLine) -> Bool {
        guard self.line === line else { return false }
        self.line = nil
        return true
    }

    func redraw() {
        isDue = true
        Loop.shared.scheduleFlush(self)
    }

    /// Shows a sentence for a while, at most until a person does something.
    func say(_ notice: String?) {
        notices += 1
        status.notice = notice
        guard notice != nil else { return }
        _ = LoopTimer(after: Self.noticeTime) { [weak self, notices] in
            guard let self, notices == self.notices else { return }
            status.notice = nil
        }
    }

    /// The next tree is another worker's: places in the former tree mean nothing in it.
    func sessionBeganAnew() { beginsAnew = true }

    func flush() {
        guard let line, !isWriting else { return }
        var message = PageMessage()
        // A session that is just being launched has nothing to show yet.
        if front.tree.root != nil {
            settle()
            if let shown, let made {
                let patches = PagePatch.changes(from: shown, to: made)
                if !patches.isEmpty { message.patches = patches }
            } else {
                message.page = made?.html
            }
            shown = made
            message.focus = wanted
            wanted = nil
        }
        let state = status.state(titled: title)
        if state != shownState { message.state = state }
        guard
            message.page != nil || message.patches != nil || message.state != nil
                || message.focus != nil || acknowledged != shownAcknowledged
        else { return }
        if shownState == nil { message.tab = name }
        shownState = state
        shownAcknowledged = acknowledged
        message.acknowledged = acknowledged
        guard let text = message.text else { return }
        isWriting = true
        line.send(text) { [weak self, weak line] in
            guard let self, self.line === line else { return }
            isWriting = false
            Loop.shared.scheduleFlush(self)
        }
    }

    /// Makes the page again, if something has changed that it shows.
    func settle() {
        guard isDue || made == nil, front.tree.root != nil else { return }
        isDue = false
        let tree = front.tree
        let numbers = pages.follow(tree, beginsAnew: beginsAnew)
        dialogs.follow(tree, front.schemas, isRebuilt: numbers != nil, beginsAnew: beginsAnew)
        if numbers != nil { beginsAnew = false }
        pages.schemas = front.schemas
        made = tracking.during {
            let page = pages.compose(tree.root, dialog: dialogs.shown)
            keys = page.keys + dialogs.aside
            title = page.path.last
            var rendering = PageRendering(names, filtering: filtered)
            let html = rendering.page(page, keys: keys)
            (targets, focuses) = (rendering.targets, rendering.focuses)
            return html
        }
        followFocus()
        pages.finish()
        pages.settle(in: tree)
    }

    /// A view that wants the focus for an element gets it there.
    private func followFocus() {
        if let focused, targets[focused] == nil { self.focused = nil }
        let claim = focuses.first { $0.isFocused.wrappedValue && $0.id != focused }
        guard let claim else { return }
        focused = claim.id
        wanted = claim.id
        for (id, isFocused) in focuses where id != claim.id && isFocused.wrappedValue {
            isFocused.wrappedValue = false
        }
    }

    /// The page shows a text in a field that it was not told.
    func pageWrote(_ text: String, in id: String) {
        _ = shown?.set("value", to: text, of: id)
        redraw()
    }

    // MARK: - Requests

    private func send(_ method: MethodID, to node: UInt32, _ payload: Payload) {
        request { [dialogs] (front) throws(RemoteFault) in
            try await dialogs.send(payload, as: method, to: node, of: front)
        }
    }

    /// Shows what went wrong; a view that is already gone is what its key was pressed for.
    private func request(_ body: @escaping (Front) async throws(RemoteFault) -> Void) {
        dispatch { [weak self] in
            guard let self else { return }
            do throws(RemoteFault) {
                try await body(front)
            } catch  where error.code == .gone {
                redraw()
            } catch {
                say(error.message)
            }
        }
    }
}
