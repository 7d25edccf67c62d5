// ChildSlot: a declared position for one child of a router.
//
// Layer      core.
// Isolation  @MainActor.
// Invariant  at most one child; changed only inside a transition of its router.

/// A position for a child. Its name tells the fronts where the child's view goes, and tells
/// restore where a child belongs.
@MainActor
public final class ChildSlot<F: Feature> {
    public nonisolated let name: String
    public nonisolated let presentation: Presentation

    /// The child that is attached, or being attached.
    public internal(set) var child: (any Routing)? {
        didSet { if child == nil { ledgerEntry = nil } }
    }
    /// While it is taken.
    var ledgerEntry: LedgerEntry?

    public nonisolated init(_ name: String, presentation: Presentation = .embed) {
        self.name = name
        self.presentation = presentation
    }

    public var isOccupied: Bool { child != nil }
}
