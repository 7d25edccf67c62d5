// ChildSlot: a declared position for one child of a router.
//
// Layer      core.
// Isolation  @MainActor.
// Invariant  at most one child; changed only by the router that the child is attached to.

/// What the core and the containers know of a position, whatever its feature is.
@MainActor
protocol ChildPlace: AnyObject {
    nonisolated var name: String { get }
    nonisolated var presentation: Presentation { get }
    nonisolated var feature: FeatureID { get }
    var child: (any Routing)? { get set }
    /// The container that has put the child here, if one has.
    var container: (any ChildContainer)? { get set }
    /// While it is taken.
    var ledgerEntry: LedgerEntry? { get set }
}

/// What holds places in an order of its own: a switch or a stack.
@MainActor
protocol ChildContainer: AnyObject {
    /// The place's child has been detached, by whatever way.
    func vacated(_ place: any ChildPlace)
}

/// A position for a child. Its name tells the fronts where the child's view goes.
///
/// Use it with `attach` and `detach` of its router, or with a container: `ChildSwitch`,
/// `ChildStack`, `ChildTabs`. A slot belongs to one router.
@MainActor
public final class ChildSlot<F: Feature>: ChildPlace {
    public nonisolated let name: String
    public nonisolated let presentation: Presentation

    /// The child that is attached, or being attached.
    public internal(set) var child: (any Routing)? {
        didSet {
            if child == nil { ledgerEntry = nil }
            occupancyChanged?(child != nil)
        }
    }

    /// While it is taken.
    var ledgerEntry: LedgerEntry?
    weak var container: (any ChildContainer)?
    /// Told by a list's slot when its child comes and goes.
    var occupancyChanged: ((_ isOccupied: Bool) -> Void)?

    public nonisolated init(_ name: String, presentation: Presentation = .embed) {
        self.name = name
        self.presentation = presentation
    }

    public var isOccupied: Bool { child != nil }

    nonisolated var feature: FeatureID { F.id }
}
