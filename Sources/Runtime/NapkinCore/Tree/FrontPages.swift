// FrontPages: the fronts of a stage, and the routers that have a child for each of them.
//
// Layer      core; owned by a stage.
// Invariant  once `joined` has returned, the front has its pages until `left` is called.

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

    private var attachedRouters: [RouterCore] { routers.compactMap(\.router).filter(\.isAttached) }

    func add(_ router: RouterCore) {
        routers.removeAll { $0.router == nil || $0.router === router }
        routers.append(Entry(router: router))
    }

    func remove(_ router: RouterCore) { routers.removeAll { $0.router === router } }
}

extension RouterCore {
    /// The number of the only front that shows this subtree; `nil` if all do.
    var front: UInt64? { ownFront ?? parent?.front }

    /// Whether the router is a front's child of a `FrontSlot`.
    var isPage: Bool { ownFront != nil }

    /// Whether the router is a root, or has been attached and not detached.
    var isAttached: Bool { isRoot || parent != nil }

    /// Attaches a child for each front from now on.
    func open(_ slot: FrontSlotBuilder) async {
        frontSlots.append(slot)
        // Otherwise the pages come with the mount.
        if let stage { await openPages(on: stage.pages) }
    }

    /// Attaches the pages of this subtree for the current fronts, and for each front that joins
    /// later.
    func openPages(on pages: FrontPages) async {
        if !frontSlots.isEmpty {
            if front == nil { pages.add(self) }
            for front in pages.fronts { await attachPages(for: front, on: pages) }
        }
        for child in children { await child.router.core.openPages(on: pages) }
    }

    /// Attaches a front's pages, unless it already has them, or has left while this waited.
    func attachPages(for front: AttachedFront, on pages: FrontPages) async {
        guard (self.front ?? front.id) == front.id else { return }
        await transition(isBatch: true) {
            for builder in frontSlots where pages.has(front.id) {
                let slot = builder.slot(front.id)
                guard slot.child == nil, let page = await builder.build(front) else { continue }
                await attach(page, in: slot, for: front.id)
            }
        }
    }

    func detachPages(of front: UInt64) async {
        await transition(isBatch: true) {
            for child in children where child.router.core.ownFront == front {
                await detach(child.router)
            }
        }
    }

    /// Removes the pages of a subtree that has been deactivated: before it is attached again, their
    /// fronts may have left.
    func closePages() {
        for child in children {
            if child.router.core.isPage {
                remove(child.router)
            } else {
                child.router.core.closePages()
            }
        }
    }
}
