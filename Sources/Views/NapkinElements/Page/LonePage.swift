// LonePage: evaluates a single view as a page, without a session or over one.
//
// Ownership  keeps the view's state and its tasks until `leave()`, or until it is released.

package final class LonePage {
    var view: any View
    var environment = EnvironmentValues()
    private let root = SiteRoot()
    private var banner: LonePage?

    package init(_ view: any View) {
        self.view = view
    }

    isolated deinit { leave() }

    /// Evaluates the view, with its presentations over it.
    package func compose() -> RenderedPage {
        let (elements, turn) = root.evaluate(view, environment)
        banner = turn.banner
        var page = RenderedPage(
            .node(0, elements.below(turn.presentations)), banner: banner?.elements ?? [])
        page.path = turn.path
        page.scope = turn.scope
        return page
    }

    /// The visible elements of the view, for embedding.
    var elements: [RenderedElement] { [compose().root] }

    /// Marks the view as visible. Call it once the values that an evaluation read are observed.
    package func finish() {
        root.setThere(true)
        root.finish()
        banner?.finish()
    }

    /// Ends the view, which is no longer visible.
    package func leave() {
        root.setThere(false)
        banner?.leave()
    }
}
