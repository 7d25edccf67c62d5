// RenderedPage: a page's content and keys, as a value, and a page of a single view.
//
// Ownership  a page of a single view keeps the view's state and its tasks until `leave()`, or until
//            it is released.

package struct RenderedPage {
    package let root: RenderedElement
    /// The content that stays at the top.
    package let banner: [RenderedElement]
    /// The keys of both; the innermost view's come first: Enter belongs to the nearest view.
    package var keys: [KeyBinding]
    package var path: [String] = []
    /// Distinguishes the pages of the visible views.
    package var scope = ""
    /// The calls for attention; `nil` if nothing on the page ever calls.
    package var calls: [PageCall]?

    init(_ root: RenderedElement, banner: [RenderedElement], isLinear: Bool = false) {
        self.root = root
        self.banner = banner
        keys = root.keys(isLinear: isLinear) + banner.keys(isLinear: isLinear)
    }
}

/// A call for attention, which is heard once.
package struct PageCall: Hashable {
    let id: AnyHashable
    package let text: String
}

extension [PageCall]? {
    /// Returns the calls of both; `nil` if neither ever calls.
    func with(_ others: Self) -> Self { others.map { (self ?? []) + $0 } ?? self }
}

/// Finds the calls that have not been heard yet.
struct CallMemory {
    /// The number of calls that are remembered after they have left the page. Chosen: more than a
    /// person leaves open. A person would hear further ones again after a worker's death.
    static let heardMax = 256

    private var heard: [PageCall] = []

    /// Returns the texts of new calls.
    mutating func hear(_ calls: [PageCall]?) -> [String] {
        guard let calls, !calls.isEmpty else { return [] }
        let (known, shown) = (Set(heard), Set(calls))
        heard = heard.filter { !shown.contains($0) }.suffix(Self.heardMax) + calls
        return calls.filter { !known.contains($0) }.map(\.text)
    }
}

/// A view of the front over the session's views.
package final class Dialog {
    package let id: String
    package let title: String
    private let page: StandalonePage
    private let box = BoxMemory()

    init(id: String, title: String, view: any View) {
        self.id = id
        self.title = title
        page = StandalonePage(view)
    }

    /// Returns the elements below the dialog, and the dialog over them.
    func over(_ root: RenderedElement) -> RenderedElement {
        root.below(RenderTurn.Presentation(title, page.elements, in: box))
    }

    func finish() { page.finish() }
}

/// Evaluates a single view as a page, without a session or over one.
package final class StandalonePage {
    var view: any View
    var environment = EnvironmentValues()
    private let root = SiteRoot()
    private var banner: StandalonePage?
    /// The calls of the last evaluation.
    private(set) var calls: [PageCall]?

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
        calls = turn.calls.with(banner?.calls)
        page.calls = calls
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
