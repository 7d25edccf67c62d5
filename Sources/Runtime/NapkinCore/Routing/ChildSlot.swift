// ChildSlot: a declared position for one child of a router.
//
// Invariant  at most one child; only the router that the child is attached to changes it.

/// The core's and the containers' view of a position, independent of its feature.
@MainActor
protocol ChildSlotProtocol: AnyObject {
    nonisolated var name: String { get }
    nonisolated var presentation: Presentation { get }
    nonisolated var feature: FeatureID { get }
    var child: (any Routing)? { get set }
    /// The container that has put the child here, if one has.
    var container: (any ChildContainer)? { get set }
    /// The inventory's entry, while the position is occupied.
    var inventoryEntry: InventoryEntry? { get set }
}

/// A container that orders its slots itself: a switch or a stack.
@MainActor
protocol ChildContainer: AnyObject {
    /// The slot's child has been detached, in whatever way.
    func vacated(_ slot: any ChildSlotProtocol)
}

/// A position for a child. Its name tells the fronts where the child's view goes.
///
/// Use it with its router's `attach` and `detach`, or with a container: `ChildSwitch`,
/// `ChildStack`, `ChildTabs`. A slot belongs to one router. A ``ChildRoute`` also says how its
/// child is made.
@MainActor
public class ChildSlot<F: Feature>: ChildSlotProtocol {
    public final nonisolated let name: String
    public final nonisolated let presentation: Presentation

    /// The child that is attached, or being attached.
    public internal(set) final var child: (any Routing)? {
        didSet {
            if child == nil { inventoryEntry = nil }
            occupancyChanged?(child != nil)
        }
    }

    /// The inventory's entry, while the slot is occupied.
    final var inventoryEntry: InventoryEntry?
    final weak var container: (any ChildContainer)?
    /// Called when the child of a list's slot is attached or detached.
    final var occupancyChanged: ((_ isOccupied: Bool) -> Void)?

    public nonisolated init(_ name: String, presentation: Presentation = .embed) {
        self.name = name
        self.presentation = presentation
    }

    public final var isOccupied: Bool { child != nil }

    final nonisolated var feature: FeatureID { F.id }
}
