// RenderedPage: what a page shows, as a value, and what can be pressed there.
//
// Isolation  @MainActor; a value, made by each composition.

/// What a page shows, and what can be pressed there.
package struct RenderedPage {
    package let root: RenderedElement
    /// What stays at the top.
    package let banner: [RenderedElement]
    /// The keys of both, the innermost view's first: Enter belongs to the nearest one.
    package var keys: [KeyBinding]
    /// The titles of the views that lead here.
    package var path: [String] = []
    /// What tells the pages of the seen views apart.
    package var scope = ""

    init(_ root: RenderedElement, banner: [RenderedElement], isLinear: Bool = false) {
        self.root = root
        self.banner = banner
        keys = root.keys(isLinear: isLinear) + banner.keys(isLinear: isLinear)
    }
}

/// A view of the front itself over the session's views.
package final class Dialog {
    package let id: String
    package let title: String
    private let page: LonePage

    init(id: String, title: String, view: any View) {
        self.id = id
        self.title = title
        page = LonePage(view)
    }

    /// Returns what is seen below the dialog, and the dialog.
    func over(_ root: RenderedElement) -> RenderedElement {
        root.below(RenderTurn.Presentation(title: title, elements: page.elements))
    }

    func finish() { page.finish() }
}
