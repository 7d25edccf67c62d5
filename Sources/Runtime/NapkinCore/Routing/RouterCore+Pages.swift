// RouterCore+Pages: the children that a router has for each front.

extension RouterCore {
    /// The number of the only front that shows this subtree; `nil` if all do.
    var front: UInt64? { ownFront ?? parent?.front }

    /// Whether the router is a front's child of a `FrontSlot`.
    var isPage: Bool { ownFront != nil }

    /// Whether the router is a root, or has been attached and not detached.
    var isAttached: Bool { isRoot || parent != nil }

    /// Attaches a child for each front from now on.
    func open(_ place: any FrontPlace) async {
        frontPlaces.append(place)
        // Otherwise the pages come with the mount.
        if let stage { await openPages(on: stage.pages) }
    }

    /// Attaches the pages of this subtree for the current fronts, and for each front that joins
    /// later.
    func openPages(on pages: FrontPages) async {
        if !frontPlaces.isEmpty {
            if front == nil { pages.add(self) }
            for front in pages.fronts { await attachPages(for: front, on: pages) }
        }
        for child in children { await child.router.core.openPages(on: pages) }
    }

    /// Attaches a front's pages, unless it already has them, or has left while this waited.
    func attachPages(for front: AttachedFront, on pages: FrontPages) async {
        guard (self.front ?? front.id) == front.id else { return }
        await transition(isBatch: true) {
            for place in frontPlaces where pages.has(front.id) {
                let slot = place.slot(of: front.id)
                guard slot.child == nil, let page = await place.build(front) else { continue }
                await attach(page, in: slot, for: front.id)
            }
        }
    }

    /// Detaches the pages of a front that has left.
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
