// WebTab: a page in a tab of a browser, and the connection that it comes and goes with.
//
// Isolation  @MainActor: events of the page come here from the server's thread.
// Ownership  owns what is shown, which ends with it; its connection comes and goes.
// Invariant  at most one message to the page is being written; what changes meanwhile is in the
//            next one, so that a slow page costs one page's memory and misses only what is old.

import NapkinElements
import NapkinTransport

/// A page's connection.
@MainActor
protocol TabLine: AnyObject {
    /// Writes a message; `written` is called when it has left.
    func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void)
    func close()
}

/// What a tab shows: a front, or a view without one.
@MainActor
protocol TabContent: AnyObject {
    /// Gets the tab, which outlives this call and is not to be retained.
    func begin(in tab: WebTab)
    /// Whether there is something to show yet.
    var isReady: Bool { get }
    /// Makes the page and has it painted. What both read asks for another one when it changes.
    func draw(_ paint: (RenderedPage) -> HTMLNode) -> HTMLNode
    /// What the person at the page is told.
    var notice: Notice { get }
    /// Returns what can be done besides the keys of the page.
    func commands(besides page: RenderedPage) -> [PaletteCommand]
    /// A slow network that is simulated.
    var lag: Lag? { get }
    /// The line above the page, without the notice.
    func state(titled title: String?) -> PageState
    /// A person has done something.
    func personActed()
    /// Nobody looks at it any more.
    func leave()
}

/// Shows a page, and does what a person does there.
@MainActor
final class WebTab: Flushable {
    var isFlushScheduled = false
    let name: String
    let content: any TabContent
    private let names = ElementNames()
    private let scripts: AppScripts
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
    /// The page that is to be opened beside this one.
    private var opening: String?
    /// The list whose words the person writes.
    var filtered: String?
    var acknowledged = 0
    /// Whether the page has said that it does not come back.
    var hasLeft = false
    /// The two directions of a slow connection that is simulated.
    private(set) lazy var lag = content.lag.map { (out: LagWay($0), back: LagWay($0)) }
    private lazy var palette = {
        let palette = CommandPalette { [weak self] in self?.redraw() }
        palette.commands = { [content] in content.commands(besides: $0) }
        return palette
    }()

    /// - Parameters:
    ///   - name: the name under which the page finds the tab again.
    ///   - content: what is shown.
    ///   - scripts: gets those of the content's own elements.
    init(_ name: String, _ content: any TabContent, _ scripts: AppScripts) {
        self.name = name
        self.content = content
        self.scripts = scripts
        content.begin(in: self)
    }

    /// Tells the page that its tab ends.
    ///
    /// - Parameter clearsPage: whether what it shows goes with it.
    func sayEnds(because reason: String, clearsPage: Bool) {
        var state = content.state(titled: clearsPage ? nil : title)
        (state.kind, state.text) = (.ended, "ended: \(reason)")
        var message = PageMessage(state: state)
        if clearsPage { message.page = "" }
        message.acknowledged = acknowledged
        if let text = message.text { line?.send(text) {} }
    }

    /// Ends what is shown: nobody looks at it any more.
    func close() {
        line?.close()
        line = nil
        content.leave()
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

    /// Opens another page of the server in a tab of its own.
    func open(_ page: String) {
        opening = page
        redraw()
    }

    func flush() {
        guard let line, !isWriting else { return }
        var message = PageMessage()
        // A session that is just being launched has nothing to show yet.
        if content.isReady {
            settle()
            if let shown, let made {
                let patches = PagePatch.changes(from: shown, to: made)
                if !patches.isEmpty { message.patches = patches }
            } else {
                message.page = made?.html
            }
            shown = made
            (message.focus, message.open) = (wanted, opening)
            (wanted, opening) = (nil, nil)
        }
        var state = content.state(titled: title)
        state.notice = content.notice.text
        if state != shownState { message.state = state }
        message.acknowledged = shownAcknowledged
        guard message != PageMessage(acknowledged: acknowledged) else { return }
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
        guard isDue || made == nil, content.isReady else { return }
        isDue = false
        made = content.draw { page in
            let page = palette.over(page)
            keys = page.keys + (palette.isOpen ? [] : [palette.key])
            title = page.path.last
            var rendering = PageRendering(names, scripts, filtering: filtered)
            let html = rendering.page(page, keys: keys)
            (targets, focuses) = (rendering.targets, rendering.focuses)
            // A view may claim the focus at any time.
            for element in focuses { _ = element.isFocused.wrappedValue }
            return html
        }
        palette.finish()
        // What has appeared may have claimed it: the page would give it to its first element.
        followFocus()
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
        shown?.change(id) { $0["value"] = text }
        redraw()
    }
}
