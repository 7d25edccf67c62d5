// FrontSlot: a declared position with one child for each front, shown to that front alone.
//
// Ownership  the router and the position hold a front's slot while it has a child.
// Invariant  a front has at most one child here, from its first screen until it has left for good.

/// The core's view of a position that has a child for each front.
@MainActor
struct FrontSlotBuilder {
    let slot: @MainActor (_ front: UInt64) -> any ChildSlotProtocol
    /// Builds a front's child; `nil` if the router does not exist any more.
    let build: @MainActor (AttachedFront) async -> (any Routing)?
}

/// A position with one child per front: its own page, below a parent that all fronts share.
///
/// ```swift
/// private let pages = FrontSlot<Browser>("browser")
///
/// override func didLoad() async {
///     await attach(pages) { router, front, view in
///         BrowserInteractor(presenter: view.presenter, jobs: router.jobs)
///     }
/// }
/// ```
///
/// A front's child is attached when the front joins, before its first screen, and detached when the
/// front has left for good: because it or somebody else wished so, or after a minute without a
/// connection. Until then the child stays as it is while the front is away. It is an ordinary
/// child: features attached below it are shown to that front alone, and it ends with its parent.
///
/// Its events may come from a front that is attached read-only, since they change only that front's
/// own pages. A call into a parent changes the screen of all fronts, so such a handler should check
/// ``AttachedFront/isReadOnly``. Other fronts can neither see the child nor send it events. A front
/// that mirrors the child's front sees the child and sends nothing.
@MainActor
public final class FrontSlot<F: Feature> {
    public nonisolated let name: String
    public nonisolated let presentation: Presentation

    private var slots: [UInt64: ChildSlot<F>] = [:]

    public nonisolated init(_ name: String, presentation: Presentation = .embed) {
        self.name = name
        self.presentation = presentation
    }

    /// The child of a front, if it has one now.
    public func child(of front: AttachedFront) -> (any Routing)? { slots[front.id]?.child }

    fileprivate func slot(of front: UInt64) -> ChildSlot<F> {
        if let slot = slots[front] { return slot }
        let slot = ChildSlot<F>(name, presentation: presentation)
        slot.occupancyChanged = { [weak self, weak slot] isOccupied in
            self?.slots[front] = isOccupied ? slot : nil
        }
        return slot
    }
}

extension Routing {
    /// Attaches a child for each current front and for each front that joins later; see
    /// ``FrontSlot``. Call it once for a slot, in `didLoad`.
    ///
    /// - Parameters:
    ///   - slot: the position, which belongs to this router.
    ///   - build: receives the router, which it should not capture, and the front; returns the
    ///     router of the front's child.
    public func attach<F: Feature>(
        _ slot: FrontSlot<F>,
        _ build: @escaping @MainActor (Self, AttachedFront) async -> any Routing
    ) async {
        let make: @MainActor (AttachedFront) async -> (any Routing)? = { [weak self] front in
            guard let self else { return nil }
            return await build(self, front)
        }
        await core.open(FrontSlotBuilder(slot: { slot.slot(of: $0) }, build: make))
    }

    /// Attaches a child without a router for each front; see ``FrontSlot``.
    ///
    /// - Parameters:
    ///   - slot: the position, which belongs to this router.
    ///   - arguments: the child's arguments, which its view receives once.
    ///   - build: receives the router, which it should not capture, the front and the child's view;
    ///     returns the child's interactor.
    public func attach<F: Feature>(
        _ slot: FrontSlot<F>, arguments: F.Arguments,
        _ build:
            @escaping @MainActor (Self, AttachedFront, RemoteView<F>) async -> F.Listening.Target
    ) async {
        await attach(slot) { router, front in
            await leaf(arguments) { await build(router, front, $0) }
        }
    }

    /// Attaches for each front a child that needs neither arguments nor a router; see
    /// ``FrontSlot``.
    public func attach<F: Feature>(
        _ slot: FrontSlot<F>,
        _ build:
            @escaping @MainActor (Self, AttachedFront, RemoteView<F>) async -> F.Listening.Target
    ) async where F.Arguments == NoArguments {
        await attach(slot, arguments: NoArguments(), build)
    }
}
