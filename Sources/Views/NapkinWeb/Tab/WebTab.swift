// WebTab: a page in a browser's tab, which outlives its connections.
//
// Isolation  @MainActor: events of the page come here from the server's thread.
// Ownership  owns its content, which ends with it; connections come and go.
// Invariant  at most one message to the page is being written; changes meanwhile are in the next,
//            so that a slow page costs one page's memory and misses only outdated content.

import NapkinElements
import NapkinTransport

/// A page's connection.
@MainActor
protocol TabLine: AnyObject {
    /// Writes a message; `written` is called when it has been sent.
    func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void)
    func close()
}

/// The content of a tab: a front, or a view without one.
@MainActor
protocol TabContent: AnyObject {
    /// Receives the tab, which outlives the content and must not be retained.
    func begin(in tab: WebTab)
    /// Whether there is something to show yet.
    var isReady: Bool { get }
    /// Creates and paints the page. A change of any value that this read asks for another one.
    func draw(_ paint: (RenderedPage) -> HTMLNode) -> HTMLNode
    /// The notice for the person at the page.
    var notice: Notice { get }
    func commands(besides page: RenderedPage) -> [PaletteCommand]
    /// The line above the page, without the notice.
    func state(titled title: String?) -> PageState
    /// Notes that a person has done something.
    func personActed()
    /// Ends the content, which nobody sees any more.
    func leave()
}

@MainActor
final class WebTab: Flushable {
    var isFlushScheduled = false
    let name: String
    let content: any TabContent
    private let names = ElementNames()
    private let scripts: AppScripts
    private(set) var line: (any TabLine)?
    /// The number of the page's connections so far.
    private(set) var connections = 0
    /// The page's content and connection notice, as last sent.
    private var shown: HTMLNode?
    private var shownState: PageState?
    private var shownAcknowledged = 0
    /// The newest page, and the actions of its elements.
    private var made: HTMLNode?
    var targets: [String: PageTarget] = [:]
    var focuses: [(id: String, isFocused: Binding<Bool>)] = []
    var keys: [KeyBinding] = []
    private var title: String?
    private var isDue = true
    private var isWriting = false
    /// The focused element, and the element to focus.
    var focused: String?
    var wanted: String?
    /// The page to open beside this one.
    private var opening: String?
    /// The calls for attention that have not been sent, and the number of all calls; `nil` if
    /// nothing ever calls.
    private var ringing: [String]?
    private var calls: Int?
    /// The list that the person is filtering.
    var filtered: String?
    var acknowledged = 0
    /// Whether the page has said that it leaves: to be reloaded at once, or for good.
    var hasLeft = false
    private lazy var palette = {
        let palette = CommandPalette { [weak self] in self?.redraw() }
        palette.commands = { [content] in content.commands(besides: $0) }
        return palette
    }()

    /// - Parameters:
    ///   - name: the name by which the page finds the tab again.
    ///   - content: the tab's content.
    ///   - scripts: receives the scripts of the content's own elements.
    init(_ name: String, _ content: any TabContent, _ scripts: AppScripts) {
        self.name = name
        self.content = content
        self.scripts = scripts
        content.begin(in: self)
    }

    /// Announces the end of the tab to the page.
    ///
    /// - Parameter clearsPage: whether the page removes its content.
    func sayEnds(because reason: String, clearsPage: Bool) {
        var state = content.state(titled: clearsPage ? nil : title)
        (state.kind, state.text) = (.ended, "ended: \(reason)")
        var message = PageMessage(state: state)
        if clearsPage { message.page = "" }
        message.acknowledged = acknowledged
        if let text = message.text { line?.send(text) {} }
    }

    /// Ends the content, which nobody sees any more.
    func close() {
        line?.close()
        line = nil
        content.leave()
    }

    // MARK: - The page

    /// Adopts the page's new connection, which begins with the whole page.
    func connect(_ line: any TabLine) {
        self.line?.close()
        self.line = line
        connections += 1
        (shown, shownState, isWriting, hasLeft) = (nil, nil, false, false)
        redraw()
    }

    /// Ends a connection; returns whether it was the page's newest one.
    func disconnect(_ line: any TabLine) -> Bool {
        guard self.line === line else { return false }
        self.line = nil
        return true
    }

    func redraw() {
        isDue = true
        Loop.shared.scheduleFlush(self)
    }

    /// Opens another page of the server in a new tab.
    func open(_ page: String) {
        opening = page
        redraw()
    }

    /// Makes the page call for attention.
    func ring(_ text: String) { ringing = (ringing ?? []) + [text] }

    func flush() {
        guard let line, !isWriting else { return }
        var message = PageMessage()
        // A session that is just being launched has nothing to show yet.
        if content.isReady {
            renderIfNeeded()
            if let shown, let made {
                let patches = PagePatch.changes(from: shown, to: made)
                if !patches.isEmpty { message.patches = patches }
            } else {
                message.page = made?.html
            }
            shown = made
            (message.focus, message.open, message.calls) = (wanted, opening, ringing)
            (wanted, opening, ringing) = (nil, nil, nil)
        }
        var state = content.state(titled: title)
        state.notice = content.notice.text
        state.mayCall = calls != nil
        if let calls, calls > 0 { state.title = "(\(calls)) \(state.title)" }
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

    /// Creates the page again, if a value that it read has changed.
    func renderIfNeeded() {
        guard isDue || made == nil, content.isReady else { return }
        isDue = false
        made = content.draw { page in
            let page = palette.over(page)
            keys = page.keys + (palette.isOpen ? [] : [palette.key])
            (title, calls) = (page.path.last, page.calls?.count)
            var rendering = PageRendering(names, scripts, filtering: filtered)
            let html = rendering.page(page, keys: keys)
            (targets, focuses) = (rendering.targets, rendering.focuses)
            // A view may claim the focus at any time.
            for element in focuses { _ = element.isFocused.wrappedValue }
            return html
        }
        palette.finish()
        // A new element may have claimed it: the page would focus its own first element.
        followFocus()
    }

    /// Moves the focus to the element for which a view claims it.
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

    /// Notes that a field on the page shows a text that the server did not send.
    func pageWrote(_ text: String, in id: String) {
        shown?.change(id) { $0["value"] = text }
        redraw()
    }
}
