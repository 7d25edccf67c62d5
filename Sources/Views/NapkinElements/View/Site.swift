// Site: a view's place in the hierarchy, and its state while the view's value is replaced.
//
// Ownership  a node owns the root of its sites; a site owns the sites below it.
// Invariant  a site that an evaluation did not visit is removed after it, with state and tasks.

/// A step from a view to one inside it.
package enum SiteStep: Hashable {
    case body
    case member(Int)
    case branch(Bool)
    case value(AnyHashable, Int)
    case named(AnyHashable)
    case part(String)
}

package final class Site {
    private var sites: [SiteStep: Site] = [:]
    private var kind: ObjectIdentifier?
    private var visit = 0
    /// The storage of the view's properties, in their order.
    private var properties: [AnyObject] = []
    /// An element's state between two drawings: a cursor, a scroll position.
    package var memory: (any ElementMemory)?
    fileprivate var lifetime: Lifetime?
    /// Whether it exists but is not visible.
    private var isCovered = false
    /// Whether it is kept without having been evaluated.
    private var isKept = false

    package init() {}

    /// Returns the site of a view inside; a new one if none exists or if the type has changed.
    fileprivate func site(_ step: SiteStep, of kind: ObjectIdentifier, _ turn: RenderTurn) -> Site {
        if let known = sites[step], known.kind == kind {
            known.visit = turn.number
            (known.isCovered, known.isKept) = (false, false)
            return known
        }
        if let former = sites[step] { turn.atEnd { former.leave() } }
        let site = Site()
        site.kind = kind
        site.visit = turn.number
        sites[step] = site
        return site
    }

    /// Keeps the hidden site at a step; it need not be evaluated.
    fileprivate func keep(_ step: SiteStep, _ turn: RenderTurn) {
        guard let site = sites[step] else { return }
        site.isKept = site.visit != turn.number
        site.visit = turn.number
        site.isCovered = true
        turn.atEnd { if site.isCovered { site.leave() } }
    }

    /// Connects a view's dynamic properties, such as `@State`, with their storage here.
    fileprivate func connect(_ view: some View, _ context: RenderContext) {
        var index = 0
        for child in Mirror(reflecting: view).children {
            guard let property = child.value as? any DynamicProperty else { continue }
            let kept = properties.indices.contains(index) ? properties[index] : nil
            let storage = property.connect(kept, context.environment)
            if kept == nil { properties.append(storage) }
            index += 1
        }
    }

    /// Removes the sites that the turn did not visit.
    fileprivate func sweep(_ turn: RenderTurn) {
        for (step, site) in sites {
            if site.visit == turn.number {
                if !site.isKept { site.sweep(turn) }
            } else {
                turn.atEnd { site.leave() }
                sites[step] = nil
            }
        }
    }

    /// Marks the view as removed or covered.
    package func leave() {
        lifetime?.end()
        for site in sites.values { site.leave() }
    }

    /// Marks the view as visible, for the first time or again.
    package func appear() {
        guard !isCovered else { return }
        lifetime?.begin()
        for site in sites.values { site.appear() }
    }

    package func withMemories(_ body: (any ElementMemory) -> Void) {
        if let memory { body(memory) }
        for site in sites.values { site.withMemories(body) }
    }

    /// Drops memories that mean nothing in another worker's tree.
    package func resetForNewEpoch() {
        if let memory, !type(of: memory).outlivesWorker { self.memory = nil }
        for site in sites.values { site.resetForNewEpoch() }
    }
}

package protocol ElementMemory: AnyObject {
    /// Whether it survives another worker's tree, as a text does and a scroll position does not.
    static var outlivesWorker: Bool { get }
    /// Called when the next tree continues with it, because its own is gone.
    func carryOver()
}

extension ElementMemory {
    package func carryOver() {}
}

/// A property of a view with storage at the view's site.
protocol DynamicProperty {
    /// Adopts the stored object, or returns a new one to store.
    func connect(_ kept: AnyObject?, _ environment: EnvironmentValues) -> AnyObject
}

/// A view's actions for its appearance and disappearance.
final class Lifetime {
    var appear: (() -> Void)?
    var disappear: (() -> Void)?
    private var isThere = false

    func begin() {
        guard !isThere else { return }
        isThere = true
        appear?()
    }

    func end() {
        guard isThere else { return }
        isThere = false
        disappear?()
    }

    func restart() {
        guard isThere else { return }
        end()
        begin()
    }
}

/// One evaluation of a node's view, with its findings besides elements.
package final class RenderTurn {
    fileprivate let number: Int
    package var title: String?
    package var banner: StandalonePage?
    package var presentations: [Presentation] = []
    /// The calls for attention; `nil` if nothing in the view ever calls.
    var calls: [PageCall]?
    /// Closures to run when the evaluation is over.
    fileprivate var endings: [() -> Void] = []
    /// Whether an element corrected a value that others may have read before.
    package var isStale = false

    fileprivate init(_ number: Int, endings: [() -> Void] = []) {
        self.number = number
        self.endings = endings
    }

    func atEnd(_ action: @escaping () -> Void) { endings.append(action) }

    fileprivate func finish() {
        let endings = endings
        self.endings = []
        for ending in endings { ending() }
    }

    /// The titles on the path to the visible view.
    package var path: [String] { [title].compactMap(\.self) }
    /// Distinguishes presentations over the view.
    package var scope: String { presentations.map { " over \($0.title)" }.joined() }

    package struct Presentation {
        package let title: String
        package let plainTitle: String
        package var elements: [RenderedElement]
        package let box: BoxMemory

        package init(
            _ title: String, plainTitle: String? = nil, _ elements: [RenderedElement],
            in box: BoxMemory
        ) {
            (self.title, self.plainTitle) = (title, plainTitle ?? title)
            (self.elements, self.box) = (elements, box)
        }
    }
}

/// The greatest width of a presentation's box while it is shown: the box grows, and never shrinks.
package final class BoxMemory: ElementMemory {
    package static var outlivesWorker: Bool { false }
    package var width = 0

    package init() {}
}

/// The place at which a view is evaluated.
package struct RenderContext {
    package let site: Site
    package var environment: EnvironmentValues
    package let turn: RenderTurn

    package func render<Content: View>(_ view: Content, _ step: SiteStep) -> [RenderedElement] {
        let site = site.site(step, of: ObjectIdentifier(Content.self), turn)
        let inner = RenderContext(site: site, environment: environment, turn: turn)
        if let primitive = view as? any Primitive { return primitive.elements(in: inner) }
        site.connect(view, inner)
        return inner.render(view.body, .body)
    }

    /// Keeps the state of a hidden view inside this one; its tasks end.
    package func keep(_ step: SiteStep) { site.keep(step, turn) }

    /// Returns the element's memory, creating it at first.
    package func memory<Memory: ElementMemory>(_ make: () -> Memory) -> Memory {
        if let known = site.memory as? Memory { return known }
        let memory = make()
        site.memory = memory
        return memory
    }

    var lifetime: Lifetime {
        let lifetime = site.lifetime ?? Lifetime()
        site.lifetime = lifetime
        return lifetime
    }
}

/// Numbers the evaluations at a root.
package final class SiteRoot {
    package private(set) var site = Site()
    private var number = 0
    package private(set) var isThere = false
    private var last: RenderTurn?

    package init() {}

    /// Evaluates a view, and again if the evaluation corrected a value that the view shows.
    package func evaluate(_ view: any View, _ environment: EnvironmentValues)
        -> (elements: [RenderedElement], turn: RenderTurn)
    {
        var elements: [RenderedElement] = []
        // Closures of an evaluation that was never finished still have to run.
        var turn = last ?? RenderTurn(number)
        for _ in 0..<2 {
            number += 1
            turn = RenderTurn(number, endings: turn.endings)
            elements = RenderContext(site: site, environment: environment, turn: turn)
                .render(view, .body)
            site.sweep(turn)
            if !turn.isStale { break }
        }
        last = turn
        if let title = turn.title { elements.insert(.title(title), at: 0) }
        return (elements, turn)
    }

    /// Runs the views' actions for appearing and changing. Call it once the values that the
    /// evaluation read are observed: the actions may change them.
    package func finish() {
        guard let turn = last else { return }
        last = nil
        if isThere { site.appear() }
        turn.finish()
    }

    /// Marks the view as visible or hidden from now on.
    package func setThere(_ isThere: Bool) {
        guard isThere != self.isThere else { return }
        self.isThere = isThere
        if isThere { site.appear() } else { site.leave() }
    }

    /// Returns whether an element keeps a memory of this kind, visible or not.
    func keeps<Memory: ElementMemory>(_ predicate: (Memory) -> Bool) -> Bool {
        var isKept = false
        site.withMemories { memory in
            if let memory = memory as? Memory, predicate(memory) { isKept = true }
        }
        return isKept
    }

    /// Continues with the sites of another root, at the same path of a former tree.
    ///
    /// - Parameter isNewEpoch: whether the tree is another worker's.
    package func adoptSites(from other: SiteRoot, isNewEpoch: Bool) {
        other.setThere(false)
        site = other.site
        number = other.number
        if isNewEpoch { site.resetForNewEpoch() }
        site.withMemories { $0.carryOver() }
    }
}
