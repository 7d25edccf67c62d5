// WebSite: pages in browsers: their server and their tabs.
//
// Isolation  @MainActor: pages' messages come here from the server's thread.
// Ownership  owns the server and the tabs, which end with it.

package import NapkinFront
import NapkinTransport

/// The kind of a page's content.
package enum WebPage {
    /// - Parameter hasInspector: whether the page links to the inspector.
    case front(Front, hasInspector: Bool)
    case view(ViewTab)
}

/// Shows sessions and other views on pages of browsers.
@MainActor
package final class WebSite {
    package typealias MakePage = @MainActor (_ name: String) -> WebPage?

    private let makePage: MakePage
    private let component: FrontComponent
    private let metrics: WebMetrics?
    private let scripts = AppScripts()
    private var server: WebServer?
    private var access: WebAccessControl?
    /// By the browser's path and the tab's name: a browser gets only its own tabs back.
    private var tabs: [String: WebTab] = [:] { didSet { access?.keep(tabs.keys) } }
    private var beat: KernelTimer?
    private var lines: [ObjectIdentifier: Line] = [:]

    /// A page's connection, as its tab has it.
    private final class Line: TabLine {
        let socket: TabSocket
        weak var tab: WebTab?
        /// The number of questions since the page's last message.
        var beats = 0

        init(_ socket: TabSocket) { self.socket = socket }

        func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void) {
            socket.send(text, written: written)
        }

        func close() { socket.close() }
    }

    /// - Parameters:
    ///   - component: provides the time of day.
    ///   - metrics: the text for programs that collect metrics; `nil` for none.
    ///   - makePage: creates a tab's content, by the page's name below the secret path; `nil` if
    ///     there is no such page.
    package init(
        _ component: FrontComponent, metrics: WebMetrics? = nil, page makePage: @escaping MakePage
    ) {
        self.component = component
        self.metrics = metrics
        self.makePage = makePage
    }

    /// Listens, and returns the address that opens the page.
    ///
    /// - Parameters:
    ///   - isShared: whether the address admits any number of browsers, rather than one.
    ///   - anew: receives the new address after a browser has logged out, if the first address was
    ///     valid once.
    package func start(
        at address: WebAddress, isShared: Bool = false,
        anew: @escaping @MainActor @Sendable (String) -> Void = { _ in }
    ) async throws -> String {
        let token = String.randomWord()
        let (server, access) = try await WebServer.start(at: address) {
            [weak self, metrics, scripts] origin in
            WebAccessControl(
                token: token, origin: origin, isShared: isShared, metrics: metrics,
                scripts: scripts
            ) { browser, token in
                Task { @MainActor in
                    self?.end(tabsOf: browser)
                    if let token { anew(origin.address(with: token)) }
                }
            }
        } call: { [weak self] socket in
            Task { @MainActor in self?.read(socket) }
        }
        (self.server, self.access) = (server, access)
        beat = KernelTimer(every: WebLimits.beat) { [weak self] in self?.askPages() }
        return access.origin.address(with: token)
    }

    /// Ends all tabs and the server.
    ///
    /// - Parameter reason: shown on the pages.
    package func stop(because reason: String) async {
        beat?.cancel()
        for tab in tabs.values { end(tab, because: reason) }
        await server?.stop()
    }

    /// Asks each page for a sign of life, and drops those that have not answered.
    private func askPages() {
        for line in lines.values {
            line.beats += 1
            if line.beats > WebLimits.beatsMax {
                line.close()
            } else {
                line.socket.send(PageMessage.beat) {}
            }
        }
    }

    /// Ends the tabs of a browser that has logged out, and clears their pages.
    private func end(tabsOf browser: String) {
        let reason = "logged out; the address of this page is no longer good"
        for (key, tab) in tabs where key.hasPrefix(browser) {
            end(tab, because: reason, clearsPage: true)
        }
    }

    private func end(_ tab: WebTab, because reason: String, clearsPage: Bool = false) {
        tab.sayEnds(because: reason, clearsPage: clearsPage)
        end(tab)
    }

    private func read(_ socket: TabSocket) {
        let key = ObjectIdentifier(socket)
        let (messages, isClosed) = socket.take()
        let line = lines[key] ?? (isClosed ? nil : opened(socket))
        guard let line, let tab = line.tab else {
            lines[key] = nil
            return socket.close()
        }
        lines[key] = line
        line.beats = 0
        // The page resends messages of a former connection that are not acknowledged.
        for message in messages where tab.line === line { tab.take(message) }
        guard isClosed else { return }
        lines[key] = nil
        if tab.disconnect(line) { wait(for: tab) }
    }

    private func opened(_ socket: TabSocket) -> Line? {
        let line = Line(socket)
        if let known = tabs[socket.browser + socket.tab] {
            line.tab = known
        } else {
            // It may have logged out after it was admitted.
            guard access?.knows(socket.browser) == true else { return nil }
            guard tabs.count < WebLimits.tabsMax else {
                return refused(
                    socket, "\(WebLimits.tabsMax) tabs are open already; close one and load again")
            }
            let own = tabs.keys.count { $0.hasPrefix(socket.browser) }
            guard access?.isShared == false || own < WebLimits.browserTabsMax else {
                return refused(
                    socket,
                    "this browser has \(WebLimits.browserTabsMax) tabs open already, which is its "
                        + "limit; close one and load again")
            }
            guard let page = makePage(socket.page) else {
                return refused(socket, "there is no such page")
            }
            let tab = WebTab(String.randomWord(), content(of: page), scripts)
            tabs[socket.browser + tab.name] = tab
            line.tab = tab
        }
        line.tab?.connect(line)
        return line
    }

    private func content(of page: WebPage) -> any TabContent {
        switch page {
        case .front(let front, let hasInspector):
            FrontTab(front, component, hasInspector: hasInspector)
        case .view(let view): view
        }
    }

    private func refused(_ socket: TabSocket, _ reason: String) -> Line? {
        let state = PageState(kind: .ended, text: "ended: \(reason)", title: "napkin")
        if let text = PageMessage(state: state).text { socket.send(text) {} }
        return nil
    }

    /// Ends the tab of a page that does not return.
    private func wait(for tab: WebTab) {
        let time = tab.hasLeft ? WebLimits.reload : WebLimits.absence
        // If the page returned meanwhile and left again, the wait starts over.
        _ = LoopTimer(after: time) { [weak self, weak tab, was = tab.connections] in
            guard let self, let tab, tab.line == nil, tab.connections == was else { return }
            end(tab)
        }
    }

    private func end(_ tab: WebTab) {
        tab.close()
        tabs = tabs.filter { $0.value !== tab }
    }
}
