// NodeRendering: a node's rendered view, evaluated again only when a value that it read changes.
//
// Ownership  the composer keeps it for as long as the node exists; it keeps the view's state.
// Invariant  a tracking asks at most once after a drawing, and only for values that it read.
// Spec       SE-0395 (Observation)

internal import NapkinFront
internal import Observation

final class NodeRendering {
    let node: FrontNode
    let view: any View
    /// Whether the view reads unobserved values, as a generic one does.
    private let isUnobserved: Bool
    private(set) var elements: [RenderedElement] = []
    private(set) var turn: RenderTurn?
    private let root = SiteRoot()
    /// The box around a modal child.
    let box = BoxMemory()
    private var isDirty = true
    private let environment: EnvironmentValues
    private let redraw: () -> Void
    private lazy var tracking = ReadTracking { [weak self] in self?.changed() }
    /// The node's path, once known.
    var path: TreePath?

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
        // A covered view is evaluated when it is uncovered.
        if root.isThere { redraw() }
    }

    /// Evaluates a hidden view once, for its banner and its title.
    func updateOnce() {
        if turn == nil { update() }
    }

    /// Evaluates the view, unless no value that it read has changed.
    func update() {
        if isUnobserved {
            (elements, turn) = root.evaluate(view, environment)
        } else if isDirty {
            isDirty = false
            (elements, turn) = tracking.during { root.evaluate(view, environment) }
        }
    }

    /// Whether the view has such an outlet for children, visible or not.
    func hasOutlet(_ predicate: (ChildOutlet) -> Bool) -> Bool {
        root.keeps { (memory: OutletMemory) in predicate(memory.outlet) }
    }

    /// Marks the view as visible or hidden, after a composition.
    func finish(isThere: Bool) {
        root.setThere(isThere)
        root.finish()
        // A banner is visible whatever lies over the view.
        turn?.banner?.finish()
    }

    func leave() {
        root.setThere(false)
        turn?.banner?.leave()
    }

    /// Continues with the state of the view at this path in the former tree.
    func adoptState(from former: NodeRendering, isNewEpoch: Bool) {
        root.adoptSites(from: former.root, isNewEpoch: isNewEpoch)
    }
}

/// Asks for a redraw when a value that the last drawing read changes.
package final class ReadTracking {
    /// Each drawing reads it, and it changes before the next, which ends the former tracking.
    /// Without it, a value that never changes would keep an observer of every drawing.
    @Observable
    final class Turn {
        fileprivate var number = 0
    }

    private let turn = Turn()
    private var isEnding = false
    private let changed: () -> Void

    /// - Parameter changed: called before the value changes, so it only marks the page as due.
    package init(_ changed: @escaping () -> Void) { self.changed = changed }

    /// Draws, and tracks the values read meanwhile in place of the former ones.
    package func during<T>(_ draw: () -> T) -> T {
        isEnding = true
        turn.number &+= 1
        isEnding = false
        return withObservationTracking {
            _ = turn.number
            return draw()
        } onChange: { [weak self] in
            // SAFETY: the values that a body reads belong to the main actor, and so do their
            // writers. Checked at run time.
            MainActor.assumeIsolated {
                if let self, !self.isEnding { self.changed() }
            }
        }
    }
}
