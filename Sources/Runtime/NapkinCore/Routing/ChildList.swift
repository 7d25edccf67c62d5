// ChildList: a declared position for any number of children of one feature, each with a key.
//
// Ownership  the router holds a key's slot while it has a child; the list knows it weakly.
// Invariant  a key has one slot while anything holds it; `keys` are the keys of children.

/// A position for children of one feature, which are identified by keys and kept in the order in
/// which they were attached.
///
/// ```swift
/// private let orders = ChildList<Order.ID, OrderCard>("orders")
///
/// func routeToOrder(_ id: Order.ID) async {
///     await attach(orders[id]) { await orderBuilder.build(id: id, listener: interactor) }
/// }
///
/// func routeFromOrder(_ id: Order.ID) async { await detach(orders[id]) }
/// ```
///
/// Each key behaves like a slot: attaching twice is attaching once, and a key's slot can be pushed
/// on a `ChildStack` or shown by a `ChildSwitch`. All children have the list's name as their slot
/// name. Where a view needs the key, pass it in the arguments of the child's feature.
@MainActor
public final class ChildList<Key: Hashable & Sendable, F: Feature> {
    private struct Entry {
        weak var slot: ChildSlot<F>?
    }

    public nonisolated let name: String
    public nonisolated let presentation: Presentation

    /// The children's keys, in the order in which they were attached.
    public private(set) var keys: [Key] = []
    private var entries: [Key: Entry] = [:]

    public nonisolated init(_ name: String, presentation: Presentation = .embed) {
        self.name = name
        self.presentation = presentation
    }

    /// The children, in the order in which they were attached.
    public var children: [any Routing] { keys.compactMap { entries[$0]?.slot?.child } }

    public var count: Int { keys.count }
    public var isEmpty: Bool { keys.isEmpty }

    /// The slot of a key, occupied or not.
    public subscript(key: Key) -> ChildSlot<F> {
        if let slot = entries[key]?.slot { return slot }
        let slot = ChildSlot<F>(name, presentation: presentation)
        slot.occupancyChanged = { [weak self] isOccupied in self?.changed(key, isOccupied) }
        forgetUnused()
        entries[key] = Entry(slot: slot)
        return slot
    }

    public func contains(_ key: Key) -> Bool { entries[key]?.slot?.child != nil }

    private func changed(_ key: Key, _ isOccupied: Bool) {
        keys.removeAll { $0 == key }
        if isOccupied { keys.append(key) }
    }

    /// Removes the slots of keys that were only looked up. The table is swept when most of it may
    /// be unused, so that the cost of a lookup does not grow with their number.
    private func forgetUnused() {
        guard entries.count > 2 * keys.count + 8 else { return }
        entries = entries.filter { $0.value.slot != nil }
    }
}
