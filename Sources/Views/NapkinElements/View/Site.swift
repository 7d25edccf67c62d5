// Site: the place of a view among others, and what lasts there while the view's value is replaced.
//
// Ownership  the root of a node's sites is kept with the node; a site keeps those below it.
// Invariant  what an evaluation has not visited is gone after it, with its state and its tasks.

/// What leads from a view to one inside it.
package enum Step: Hashable {
    case body
    case member(Int)
    case branch(Bool)
    case value(AnyHashable, Int)
    case named(AnyHashable)
    case part(String)
}

/// A view's place.
package final class Site {
    private var sites: [Step: Site] = [:]
    private var kind: ObjectIdentifier?
    private var visit = 0
    /// The storage of the view's properties, in their order.
    private var properties: [AnyObject] = []
    /// What an element keeps between two drawings: a cursor, a place in a list.
    package var memory: (any ElementMemory)?
    fileprivate var lifetime: Lifetime?
    /// Whether it is there and not seen.
    private var isCovered = false
    /// Whether it stays as it is without having been evaluated.
    private var isKept = false

    package init() {}

    /// Returns the site of a view inside, a new one if there was none or it had another type.
    fileprivate func site(_ step: Step, of kind: ObjectIdentifier, _ turn: RenderTurn) -> Site {
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

    /// Keeps what is at a step, unseen; it need not be evaluated.
    fileprivate func keep(_ step: Step, _ turn: RenderTurn) {
        guard let site = sites[step] else { return }
        site.isKept = site.visit != turn.number
        site.visit = turn.number
        site.isCovered = true
        turn.atEnd { if site.isCovered { site.leave() } }
    }

    /// Connects a view's `@State` and its like with what is kept here.
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

    /// Ends what the turn has not visited.
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

    /// The view is no longer there, or covered.
    package func leave() {
        lifetime?.end()
        for site in sites.values { site.leave() }
    }

    /// The view is there, or seen again.
    package func appear() {
        guard !isCovered else { return }
        lifetime?.begin()
        for site in sites.values { site.appear() }
    }

    /// Calls a closure with each element's memory.
    package func withMemories(_ body: (any ElementMemory) -> Void) {
        if let memory { body(memory) }
        for site in sites.values { site.withMemories(body) }
    }

    /// Forgets what means nothing in another worker's tree.
    package func beginAnew() {
        if let memory, !type(of: memory).outlivesWorker { self.memory = nil }
        for site in sites.values { site.beginAnew() }
    }
}

/// What an element keeps at its site.
package protocol ElementMemory: AnyObject {
    /// Whether it survives a tree of another worker: a text does, a place in a list does not.
    static var outlivesWorker: Bool { get }
    /// The tree that had it is gone, and the next one continues with it.
    func carryOver()
}

extension ElementMemory {
    package func carryOver() {}
}

/// A property of a view that is connected with what is kept at its site.
protocol DynamicProperty {
    /// Takes what was kept, or returns what is to be kept.
    func connect(_ kept: AnyObject?, _ environment: EnvironmentValues) -> AnyObject
}

/// What a view does when it appears and when it disappears.
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

/// One evaluation of a node's view, and what it has found beside elements.
package final class RenderTurn {
    fileprivate let number: Int
    package var title: String?
    package var banner: LonePage?
    package var presentations: [Presentation] = []
    /// What is to be done when the evaluation is over.
    fileprivate var endings: [() -> Void] = []
    /// Whether an element has corrected something that others may have read before.
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

    /// The titles that lead to what is seen.
    package var path: [String] { [title].compactMap(\.self) }
    /// What tells apart what lies over the view.
    package var scope: String { presentations.map { " over \($0.title)" }.joined() }

    /// Something that lies over the view, as an alert does.
    package struct Presentation {
        package let title: String
        /// The title where there is no screen.
        var plainTitle: String?
        package var elements: [RenderedElement]
    }
}

/// The place at which views are evaluated.
package struct RenderContext {
    package let site: Site
    package var environment: EnvironmentValues
    package let turn: RenderTurn

    /// Evaluates a view inside this one.
    package func render<Content: View>(_ view: Content, _ step: Step) -> [RenderedElement] {
        let site = site.site(step, of: ObjectIdentifier(Content.self), turn)
        let inner = RenderContext(site: site, environment: environment, turn: turn)
        if let primitive = view as? any Primitive { return primitive.elements(in: inner) }
        site.connect(view, inner)
        return inner.render(view.body, .body)
    }

    /// Keeps the state of a view inside this one, which is not seen: its tasks end.
    package func keep(_ step: Step) { site.keep(step, turn) }

    /// Returns the element's memory, a new one at first.
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

    /// Evaluates a view, again if that has corrected what it shows.
    package func evaluate(_ view: any View, _ environment: EnvironmentValues)
        -> (elements: [RenderedElement], turn: RenderTurn)
    {
        var elements: [RenderedElement] = []
        // What was to be done after an evaluation that nobody has finished is still to be done.
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

    /// Does what the views want to be done when they come and change. Call it when what the
    /// evaluation has read is observed: it may change that.
    package func finish() {
        guard let turn = last else { return }
        last = nil
        if isThere { site.appear() }
        turn.finish()
    }

    /// The view is seen from now on, or no longer.
    package func setThere(_ isThere: Bool) {
        guard isThere != self.isThere else { return }
        self.isThere = isThere
        if isThere { site.appear() } else { site.leave() }
    }

    /// Returns whether an element keeps something of the kind, seen or not.
    func keeps<Memory: ElementMemory>(_ isIt: (Memory) -> Bool) -> Bool {
        var isKept = false
        site.withMemories { memory in
            if let memory = memory as? Memory, isIt(memory) { isKept = true }
        }
        return isKept
    }

    /// Continues with another root's sites, which has been at the same place of a former tree.
    ///
    /// - Parameter beginsAnew: whether the tree is another worker's.
    package func goOn(from other: SiteRoot, beginsAnew: Bool) {
        other.setThere(false)
        site = other.site
        number = other.number
        if beginsAnew { site.beginAnew() }
        site.withMemories { $0.carryOver() }
    }
}
