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
    private let pushed = PushedPlace()
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
        var environment = environment
        environment.pushed = pushed
        self.environment = environment
        self.redraw = redraw
    }

    private func changed() {
        isDirty = true
        // What is covered is evaluated when it is seen again.
        if root.isThere { redraw() }
    }

    /// Whether a pushed child covers the whole view.
    var isCovered: Bool { pushed.coversView }

    /// Whether a pushed child is seen, and not in a tab that is not selected.
    var showsPushed: Bool { pushed.showsChild }

    /// Evaluates the view, unless nothing has changed that it has read, or it is covered.
    ///
    /// - Parameter hasPushed: whether the node has a pushed child.
    func update(hasPushed: Bool) {
        if pushed.hasChild != hasPushed {
            pushed.hasChild = hasPushed
            // Without a stack, its evaluation is the same.
            if pushed.hasStack { isDirty = true }
        }
        if turn == nil || !isCovered { evaluate() }
    }

    /// Evaluates a view that is not seen, once, for its banner.
    func updateOnce() {
        if turn == nil { evaluate() }
    }

    private func evaluate() {
        if isUnobserved {
            (elements, turn) = root.evaluate(view, environment)
        } else if isDirty {
            isDirty = false
            (elements, turn) = tracking.during {
                repeat {
                    pushed.begin()
                    let evaluated = root.evaluate(view, environment)
                    if !pushed.end(in: root) { return evaluated }
                } while true
            }
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
        pushed.goOn(from: former.pushed)
    }
}
