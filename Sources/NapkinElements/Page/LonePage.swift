// LonePage: a view without a session, as a page.
//
// Layer      elements, page.
// Isolation  @MainActor.
// Ownership  keeps the view's state and its tasks until `leave()`.

/// Evaluates a view by itself: before a session, in a preview, in a test.
package final class LonePage {
    private let view: any View
    private let root = SiteRoot()

    package init(_ view: any View) {
        self.view = view
    }

    /// Evaluates the view, with what lies over it.
    package func compose() -> RenderedPage {
        let (elements, turn) = root.evaluate(view, EnvironmentValues())
        var page = RenderedPage(root: .node(0, elements), keys: elements.keys())
        for presentation in turn.presentations {
            page.keys = presentation.elements.keys()
            page.root = .overlay(
                title: presentation.title, plainTitle: presentation.title, base: page.root,
                [.node(0, presentation.elements)])
        }
        page.banner = turn.banner?() ?? []
        page.keys += page.banner.keys()
        page.path = turn.path
        page.scope = turn.scope
        return page
    }

    /// The view is seen. Call it when what an evaluation has read is observed.
    package func finish() {
        root.setThere(true)
        root.finish()
    }

    /// The view is seen no longer.
    package func leave() { root.setThere(false) }
}
