// ChildTabs: a fixed set of children side by side, one of them selected.
//
// Ownership  owned by its router, which the tabs' builders know only weakly.
// Invariant  the selected tab is one of the tabs; it is attached before fronts learn of it.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// A node's tabs as fronts know them: the node's state `MethodID.tabs`.
@Message
public struct TabBar: Equatable {
    /// The names of the slots in order, including tabs that are not attached yet.
    public var names: [String]
    /// The selected tab's name, one of `names`.
    public var selected: String
}

/// One of a router's tabs: its slot, and the closure that builds its child.
@MainActor
public struct Tab<Owner: AnyObject> {
    /// When a tab's child is attached.
    public enum Attaching: Sendable {
        /// The child is attached when its tab is first selected.
        case onSelection
        /// The child is attached when the tabs are opened: it is active from then on, visible or
        /// not.
        case atOnce
    }

    let slot: any ChildSlotProtocol
    let attaching: Attaching
    let build: @MainActor (Owner) async -> any Routing

    /// - Parameters:
    ///   - slot: the slot of the tab's child; its name is the tab's.
    ///   - attaching: when the child is built.
    ///   - build: receives the router, and should not capture it.
    public init<F: Feature>(
        _ slot: ChildSlot<F>, attaching: Attaching = .onSelection,
        _ build: @escaping @MainActor (Owner) async -> any Routing
    ) {
        self.slot = slot
        self.attaching = attaching
        self.build = build
    }
}

/// A fixed set of tabs; each tab gets its child when it is first selected, or at once.
///
/// ```swift
/// private let tabs = ChildTabs()
/// private let menu = ChildSlot<Menu>("menu")
/// private let orders = ChildSlot<Orders>("orders")
///
/// override func didLoad() async {
///     await open(tabs, [
///         Tab(menu) { await $0.menuBuilder.build(listener: $0.interactor) },
///         Tab(orders, attaching: .atOnce) { await $0.ordersBuilder.build() },
///     ])
/// }
///
/// func routeToOrders() async { await select(orders, in: tabs) }
/// ```
///
/// Children stay attached and active when another tab is selected. The selection is a state of the
/// router's node, so that all fronts show the same tab; a front that selects a tab asks the router,
/// see `Router.tabWantsSelection(_:)`. Fronts show the children as tabs, whatever their slots say.
/// A router has one set of tabs. In a durable session, `open` restores the selection and reattaches
/// the tabs that were attached.
@MainActor
public final class ChildTabs {
    fileprivate struct Entry {
        let slot: any ChildSlotProtocol
        let build: @MainActor () async -> (any Routing)?
    }

    fileprivate var entries: [Entry] = []
    private var index = 0

    public nonisolated init() {}

    /// The name of the selected tab's slot; `nil` before the tabs are opened.
    public var selected: String? { bar?.selected }

    /// The tabs' names and the selection; `nil` before the tabs are opened.
    public var bar: TabBar? {
        guard !entries.isEmpty else { return nil }
        return TabBar(names: entries.map(\.slot.name), selected: entries[index].slot.name)
    }

    fileprivate func select(_ name: String, by core: RouterCore) async {
        let former = selected
        await show(name, by: core)
        if let selected, selected != former {
            core.recorder?.routers.selected(selected, of: core.number)
        }
    }

    fileprivate func show(_ name: String, by core: RouterCore) async {
        await core.transition {
            guard let chosen = entries.firstIndex(where: { $0.slot.name == name }) else { return }
            await attach(entries[chosen], to: core)
            index = chosen
        }
        core.presentTabs()
    }

    fileprivate func attach(_ entry: Entry, to core: RouterCore) async {
        guard entry.slot.child == nil, let child = await entry.build() else { return }
        await core.attach(child, in: entry.slot, presentation: .tab)
    }
}

extension ViewableRouting {
    /// Sets up the tabs, once: call it in `didLoad`. The first tab is selected unless `selecting`
    /// names another.
    public func open<F: Feature>(
        _ tabs: ChildTabs, _ list: [Tab<Self>], selecting slot: ChildSlot<F>
    ) async {
        await open(tabs, list, selecting: slot.name)
    }

    /// Sets up the tabs, once: call it in `didLoad`. The first tab is selected.
    public func open(_ tabs: ChildTabs, _ list: [Tab<Self>]) async {
        guard let first = list.first else { return }
        await open(tabs, list, selecting: first.slot.name)
    }

    private func open(_ tabs: ChildTabs, _ list: [Tab<Self>], selecting name: String) async {
        core.open(tabs)
        tabs.entries = list.map { tab in
            ChildTabs.Entry(slot: tab.slot) { [weak self] in
                guard let self else { return nil }
                return await tab.build(self)
            }
        }
        // Restores the former worker's selection, if there was one.
        let former = core.recorder?.routers.selectedTab(of: core.number)
        let name = list.first { $0.slot.name == former }?.slot.name ?? name
        let recorded = core.recorder?.routers.missingChildren(of: core.number).map(\.slot) ?? []
        await core.transition(isBatch: true) {
            for (tab, entry) in zip(list, tabs.entries)
            where tab.attaching == .atOnce || tab.slot.name == name
                || recorded.contains(tab.slot.name)
            {
                await tabs.attach(entry, to: core)
            }
        }
        await tabs.show(name, by: core)
    }

    /// Selects a tab, and attaches its child if there is none yet.
    public func select<F: Feature>(_ slot: ChildSlot<F>, in tabs: ChildTabs) async {
        await tabs.select(slot.name, by: core)
    }
}

extension RouterCore {
    /// Selects the tab with this name, for a front that has asked for it.
    func selectTab(_ name: String) async throws(RemoteFault) {
        guard let tabs, let bar = tabs.bar, bar.names.contains(name) else {
            let known = tabs?.bar?.names.joined(separator: ", ") ?? ""
            throw RemoteFault(
                .refused,
                "\(feature) has no tab \(name); it has \(known.isEmpty ? "none" : known)")
        }
        await tabs.select(name, by: self)
    }
}
