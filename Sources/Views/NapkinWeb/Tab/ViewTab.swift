// ViewTab: a view on a page, without a session.
//
// Ownership  owns the view, which ends with its tab.

package import NapkinElements

@MainActor
package final class ViewTab: TabContent {
    private let view: StandalonePage
    private let name: String
    private let words: () -> String
    private let whenLeft: () -> Void
    private weak var tab: WebTab?
    private(set) lazy var notice = Notice { [weak self] in self?.tab?.redraw() }
    private lazy var tracking = ReadTracking { [weak self] in self?.tab?.redraw() }

    /// - Parameters:
    ///   - view: the shown view.
    ///   - name: the title of the page.
    ///   - words: returns the line above the page.
    ///   - whenLeft: called when the tab has ended.
    package init(
        _ view: any View, named name: String, saying words: @escaping () -> String,
        whenLeft: @escaping () -> Void
    ) {
        self.view = StandalonePage(view)
        self.name = name
        self.words = words
        self.whenLeft = whenLeft
    }

    /// Shows a notice on the page.
    package func say(_ notice: String) { self.notice.say(notice) }

    package func open(_ page: String) { tab?.open(page) }

    // MARK: - TabContent

    func begin(in tab: WebTab) { self.tab = tab }

    var isReady: Bool { true }

    func draw(_ paint: (RenderedPage) -> HTMLNode) -> HTMLNode {
        defer { view.finish() }
        return tracking.during {
            // The line above the page changes with the values that it reads.
            _ = words()
            return paint(view.compose())
        }
    }

    func commands(besides page: RenderedPage) -> [PaletteCommand] { [] }

    func state(titled title: String?) -> PageState {
        PageState(kind: .connected, text: words(), title: title.map { "\($0) · \(name)" } ?? name)
    }

    func personActed() { notice.say(nil) }

    func leave() {
        view.leave()
        whenLeft()
    }
}
