// LonePage: a view that is evaluated by itself, as a page: without a session, or over one.
//
// Ownership  keeps the view's state and its tasks until `leave()`, or until it is released.

/// Evaluates a view by itself: before a session, in a preview, in a test, as a banner or a dialog.
package final class LonePage {
    var view: any View
    var environment = EnvironmentValues()
    private let root = SiteRoot()
    private var banner: LonePage?

    package init(_ view: any View) {
        self.view = view
    }

    isolated deinit { leave() }

    /// Evaluates the view, with what lies over it.
    package func compose() -> RenderedPage {
        let (elements, turn) = root.evaluate(view, environment)
        banner = turn.banner
        var page = RenderedPage(
            .node(0, elements.below(turn.presentations)), banner: banner?.elements ?? [])
        page.path = turn.path
        page.scope = turn.scope
        return page
    }

    /// What is seen of the view, inside something else.
    var elements: [RenderedElement] { [compose().root] }

    /// The view is seen. Call it when what an evaluation has read is observed.
    package func finish() {
        root.setThere(true)
        root.finish()
        banner?.finish()
    }

    /// The view is seen no longer.
    package func leave() {
        root.setThere(false)
        banner?.leave()
    }
}
