// WebSite: a session in browsers: its server and its tabs.
//
// Layer      web, server.
// Isolation  @MainActor: what pages say comes here from the server's thread.
// Ownership  owns the server and the tabs, which end with it.

package import NapkinFront
import NapkinTransport

/// Shows a session on pages of this machine's browsers.
@MainActor
package final class WebSite {
    private let makeFront: @MainActor () -> Front
    private let component: FrontComponent
    private var server: WebServer?
    private var tabs: [String: WebTab] = [:]
    private var lines: [ObjectIdentifier: Line] = [:]

    /// A page's connection, as its tab has it.
    private final class Line: TabLine {
        let socket: TabSocket
        weak var tab: WebTab?

        init(_ socket: TabSocket) { self.socket = socket }

        func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void) {
            socket.send(text, written: written)
        }

        func close() { socket.close() }
    }

    /// - Parameters:
    ///   - component: has the time of day.
    ///   - makeFront: makes the front of a tab.
    package init(_ component: FrontComponent, front makeFront: @escaping @MainActor () -> Front) {
        self.component = component
        self.makeFront = makeFront
    }

    /// Listens, and returns the address that opens the page, once.
    ///
    /// - Parameter port: 0 for any free one.
    package func start(port: Int) async throws -> String {
        let token = WebSecret.word()
        let server = try await WebServer.start(port: port) { port in
            WebDoor(token: token, port: port)
        } call: { [weak self] socket in
            Task { @MainActor in self?.read(socket) }
        }
        self.server = server
        return "http://127.0.0.1:\(server.port)/?token=\(token)"
    }

    /// Ends all tabs and the server.
    package func stop() async {
        for tab in tabs.values {
            tab.sayServerEnds()
            tab.close()
        }
        tabs = [:]
        await server?.stop()
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
        for message in messages { tab.take(message) }
        guard isClosed else { return }
        lines[key] = nil
        if tab.disconnect(line) { wait(for: tab) }
    }

    private func opened(_ socket: TabSocket) -> Line? {
        let line = Line(socket)
        if let known = tabs[socket.tab] {
            line.tab = known
        } else {
            guard tabs.count < WebLimits.tabsMax else {
                socket.send(Self.fullMessage) {}
                return nil
            }
            let tab = WebTab(WebSecret.word(), makeFront(), component)
            tabs[tab.name] = tab
            line.tab = tab
            Task { await tab.run() }
        }
        line.tab?.connect(line)
        return line
    }

    private static let fullMessage: String = {
        let words = "ended: \(WebLimits.tabsMax) tabs are open already; close one and load again"
        let state = PageState(kind: .ended, text: words, title: "napkin")
        return PageMessage(state: state).text ?? ""
    }()

    /// A page that does not come back ends its tab.
    private func wait(for tab: WebTab) {
        if tab.hasLeft { return end(tab) }
        // A page that has come back meanwhile, and gone again, is waited for anew.
        _ = LoopTimer(after: WebLimits.absence) { [weak self, weak tab, was = tab.connections] in
            guard let self, let tab, tab.line == nil, tab.connections == was else { return }
            end(tab)
        }
    }

    private func end(_ tab: WebTab) {
        tab.close()
        tabs[tab.name] = nil
    }
}
