// FrontTab: a session on a page.
//
// Ownership  owns the session's screen and its front, which end with it; the tab owns this.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinTransport

@MainActor
final class FrontTab: TabContent {
    private let session: SessionScreen
    private let hasInspector: Bool
    private weak var tab: WebTab?
    /// The reason for the front's end.
    private var ended: String? { didSet { session.redraw() } }
    /// The wait until the front is attached for the first time.
    private var wait: String? { didSet { session.redraw() } }

    /// - Parameters:
    ///   - front: the shown front; this becomes its surface.
    ///   - component: provides the time of day.
    ///   - hasInspector: whether the page links to the inspector.
    init(_ front: Front, _ component: FrontComponent, hasInspector: Bool) {
        session = SessionScreen(front, component)
        self.hasInspector = hasInspector
        front.countsFronts = true
    }

    /// Attaches, and stays until the tab is closed or the session ends.
    func begin(in tab: WebTab) {
        self.tab = tab
        session.redraw = { [weak tab] in tab?.redraw() }
        session.ring = { [weak tab] in tab?.ring($0) }
        Task {
            switch await session.front.run() {
            case .detached: ended = "left"
            case .failed(let error): ended = error.message
            }
        }
        // Chosen: about then a person begins to wonder.
        sayWaiting(since: .now, in: .milliseconds(300))
    }

    /// Says each second whom the page waits for.
    private func sayWaiting(since start: ContinuousClock.Instant, in time: Duration) {
        _ = LoopTimer(after: time) { [weak self] in
            guard let self else { return }
            guard ended == nil, session.status.connection == .connecting else { return }
            let seconds = Int(start.duration(to: .now) / .seconds(1))
            wait = FrontWait.text(for: session.front.awaited, seconds: seconds)
            sayWaiting(since: start, in: .seconds(1))
        }
    }

    func leave() {
        session.leave()
        session.front.detach()
    }

    var isReady: Bool { session.isReady }

    var notice: Notice { session.notice }

    func draw(_ paint: (RenderedPage) -> HTMLNode) -> HTMLNode {
        session.follow()
        return session.draw(paint)
    }

    func commands(besides page: RenderedPage) -> [PaletteCommand] {
        let inspector = PaletteCommand("Inspector", detail: "of all sessions") { [weak tab] in
            tab?.open("inspector")
        }
        return session.commands(besides: page) + (hasInspector ? [inspector] : [])
    }

    func state(titled title: String?) -> PageState {
        let status = session.status
        let isWaiting = session.status.connection == .connecting
        let words = ended.map { "ended: \($0)" } ?? (isWaiting ? wait : nil)
        return PageState(
            kind: kind, text: SessionStatus.line(status.parts(saying: words)),
            title: title.map { "\($0) · \(status.app)" } ?? status.app, hasInspector: hasInspector)
    }

    private var kind: PageState.Kind {
        if ended != nil { return .ended }
        return switch session.status.connection {
        case .connecting: .connecting
        case .connected: session.status.isWaiting ? .waiting : .connected
        case .disconnected: .lost
        }
    }

    func personActed() { session.personActed() }
}
