// RenderedPage: a page's content and keys, as a value, and a page of a single view.
//
// Ownership  a page of a single view keeps the view's state and its tasks until `leave()`, or until
//            it is released.

package struct RenderedPage {
    package let root: RenderedElement
    /// The content that stays at the top.
    package let banner: [RenderedElement]
    /// The keys of both, the innermost view's first: Enter belongs to the nearest one.
    package var keys: [KeyBinding]
    package var path: [String] = []
    /// Distinguishes the pages of the visible views.
    package var scope = ""

    init(_ root: RenderedElement, banner: [RenderedElement], isLinear: Bool = false) {
        self.root = root
        self.banner = banner
        keys = root.keys(isLinear: isLinear) + banner.keys(isLinear: isLinear)
    }
}

/// A view of the front over the session's views.
package final class Dialog {
    package let id: String
    package let title: String
    private let page: LonePage

    init(id: String, title: String, view: any View) {
        self.id = id
        self.title = title
        page = LonePage(view)
    }

    /// Returns the elements below the dialog, and the dialog over them.
    func over(_ root: RenderedElement) -> RenderedElement {
        root.below(RenderTurn.Presentation(title: title, elements: page.elements))
    }

    func finish() { page.finish() }
}

/// Evaluates a single view as a page, without a session or over one.
package final class LonePage {
    var view: any View
    var environment = EnvironmentValues()
    private let root = SiteRoot()
    private var banner: LonePage?

    package init(_ view: any View) { self.view = view }

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
