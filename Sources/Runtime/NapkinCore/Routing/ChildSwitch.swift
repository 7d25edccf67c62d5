// ChildSwitch: exactly one of several children.
//
// Ownership  owned by its router, which also owns the slots.
// Invariant  at most one of the slots that it was given is occupied.

/// A container that shows one of several children, each in its own slot.
///
/// ```swift
/// private let gate = ChildSwitch()
/// private let loggedOut = ChildSlot<LoggedOut>("loggedOut")
/// private let loggedIn = ChildSlot<LoggedIn>("loggedIn")
///
/// func routeToLoggedOut() async {
///     await swap(gate, to: loggedOut) { await loggedOutBuilder.build(listener: interactor) }
/// }
/// ```
@MainActor
public final class ChildSwitch: ChildContainer {
    fileprivate var slot: (any ChildSlotProtocol)?

    public nonisolated init() {}

    /// The current child; `nil` before the first swap.
    public var child: (any Routing)? { slot?.child }

    func vacated(_ slot: any ChildSlotProtocol) {
        if self.slot === slot { self.slot = nil }
    }
}

extension Router {
    /// Detaches the switch's child and attaches the router that `build` returns, in one batch, so
    /// that no front ever shows neither of them, or both.
    ///
    /// Does nothing while the slot is occupied. The new child is built first; if it is already
    /// attached elsewhere, the former one stays. Swaps requested meanwhile wait and run in order,
    /// so that the last request wins.
    public final func swap<F: Feature>(
        _ children: ChildSwitch, to slot: ChildSlot<F>, _ build: () async -> any Routing
    ) async {
        await core.swap(children, to: slot, build)
    }

    /// Detaches the switch's child, if there is one.
    public final func detach(_ children: ChildSwitch) async {
        await core.transition {
            if let slot = children.slot { await core.vacate(slot) }
        }
    }
}

extension RouterCore {
    func swap(
        _ children: ChildSwitch, to slot: any ChildSlotProtocol, _ build: () async -> any Routing
    ) async {
        await transition(isBatch: true) {
            guard slot.child == nil else { return }
            let child = await build()
            guard admits(child) else { return }
            if let former = children.slot { await vacate(former) }
            await attach(child, in: slot, of: children)
            if slot.child != nil { children.slot = slot }
        }
    }
}
