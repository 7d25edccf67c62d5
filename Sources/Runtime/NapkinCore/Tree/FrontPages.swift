// FrontPages: the fronts of a stage, and the routers that have a child for each of them.
//
// Layer      core; owned by a stage.
// Invariant  once `joined` has returned, the front has its pages until `left` is called.

/// Attaches and detaches the pages of fronts that come and go.
@MainActor
package final class FrontPages {
    private struct Entry {
        weak var router: RouterCore?
    }

    private var known: [UInt64: AttachedFront] = [:]
    /// Parents come before their children.
    private var routers: [Entry] = []

    package init() {}

    /// The fronts, in the order of their numbers.
    var fronts: [AttachedFront] { known.values.sorted { $0.id < $1.id } }

    func has(_ front: UInt64) -> Bool { known[front] != nil }

    /// A front joins, or returns. Returns once it has its pages: show it the tree then.
    package func joined(_ front: AttachedFront) async {
        known[front.id] = front
        for router in attachedRouters { await router.attachPages(for: front, on: self) }
    }

    /// A front has left for good. Returns when its pages are detached.
    package func left(_ front: UInt64) async {
        guard known.removeValue(forKey: front) != nil else { return }
        for router in attachedRouters { await router.detachPages(of: front) }
    }

    private var attachedRouters: [RouterCore] {
        routers.compactMap(\.router).filter(\.isAttached)
    }

    func add(_ router: RouterCore) {
        routers.removeAll { $0.router == nil || $0.router === router }
        routers.append(Entry(router: router))
    }

    func remove(_ router: RouterCore) { routers.removeAll { $0.router === router } }
}
