// RenderedPage: a page's content and keys, as a value.

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
