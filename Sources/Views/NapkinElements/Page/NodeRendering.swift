// NodeRendering: what a node's view shows, evaluated anew only when something it has read changes.
//
// Ownership  kept by the composer for as long as the node is there; keeps the view's state.

internal import NapkinFront

/// The evaluation of a node's view.
final class NodeRendering {
    let node: FrontNode
    let view: any View
    /// Whether the view reads what nobody observes, as a generic one does.
    private let isUnobserved: Bool
    private(set) var elements: [RenderedElement] = []
    private(set) var turn: RenderTurn?
    private let root = SiteRoot()
    private var isDirty = true
    private let environment: EnvironmentValues
    private let redraw: () -> Void
    private lazy var tracking = ReadTracking { [weak self] in self?.changed() }
    /// Where the node is, once that is known.
    var place: TreePlace?

    init(
        _ node: FrontNode, _ view: any View, isUnobserved: Bool, _ environment: EnvironmentValues,
        redraw: @escaping () -> Void
    ) {
        self.node = node
        self.view = view
        self.isUnobserved = isUnobserved
        self.environment = environment
        self.redraw = redraw
    }

    private func changed() {
        isDirty = true
        // What is covered is evaluated when it is seen again.
        if root.isThere { redraw() }
    }

    /// Evaluates a view that is not seen, once, for its banner and its title.
    func updateOnce() {
        if turn == nil { update() }
    }

    /// Evaluates the view, unless nothing has changed that it has read.
    func update() {
        if isUnobserved {
            (elements, turn) = root.evaluate(view, environment)
        } else if isDirty {
            isDirty = false
            (elements, turn) = tracking.during { root.evaluate(view, environment) }
        }
    }

    /// Whether the view has such a place for children, seen or not.
    func hasPlace(_ isIt: (ChildPlace) -> Bool) -> Bool {
        root.keeps { (memory: PlaceMemory) in isIt(memory.place) }
    }

    /// Tells the view whether it is seen, after a composition.
    func finish(isThere: Bool) {
        root.setThere(isThere)
        root.finish()
        // It is seen, whatever lies over the view.
        turn?.banner?.finish()
    }

    /// The view is gone.
    func leave() {
        root.setThere(false)
        turn?.banner?.leave()
    }

    /// Continues with the state of the view that was at this place in the former tree.
    func goOn(from former: NodeRendering, beginsAnew: Bool) {
        root.goOn(from: former.root, beginsAnew: beginsAnew)
    }
}
