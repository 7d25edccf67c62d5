// ChildStack: children on top of one another; only the last is visible.
//
// Ownership  owned by its router, which also owns the slots.
// Invariant  the slots are occupied, each once, from the bottom to the top.

/// A navigation stack above a router's own view: push, pop, pop to the root, replace the top.
///
/// ```swift
/// private let pages = ChildStack()
/// private let pitBoard = ChildRoute<MenuRouter, PitBoard>("pitBoard", on: \.pages) {
///     router, view in
///     PitBoardInteractor(presenter: view.presenter, listener: router.interactor)
/// }
///
/// func routeToPitBoard() async { await attach(pitBoard) }
///
/// func routeFromPitBoard() async { await pop(pitBoard, off: pages) }
/// ```
///
/// Children below the top stay active: their interactors continue, and their views are up to date
/// when they become visible again. Fronts show the children as pushed, whatever their slots say. To
/// push several children of one feature, push the slots of a `ChildList`.
@MainActor
public final class ChildStack: ChildContainer {
    fileprivate var slots: [any ChildSlotProtocol] = []

    public nonisolated init() {}

    /// The children, from the bottom of the stack to its top.
    public var children: [any Routing] { slots.compactMap(\.child) }

    /// The visible child; `nil` when the router's own view is visible.
    public var top: (any Routing)? { slots.last?.child }

    public var isEmpty: Bool { slots.isEmpty }

    var topSlot: (any ChildSlotProtocol)? { slots.last }

    func vacated(_ slot: any ChildSlotProtocol) { slots.removeAll { $0 === slot } }

    /// Returns the slots from the one with this child upward, topmost first.
    func covering(_ child: any Routing) -> [any ChildSlotProtocol] {
        guard let index = slots.firstIndex(where: { $0.child === child }) else { return [] }
        return slots[index...].reversed()
    }
}

extension Router {
    /// Attaches the router that `build` returns on top. Does nothing while the slot is occupied,
    /// wherever in the stack it is.
    public final func push<F: Feature>(
        _ slot: ChildSlot<F>, on stack: ChildStack, _ build: () async -> any Routing
    ) async {
        await core.push(slot, on: stack, build)
    }

    /// Detaches the top. The second of two taps on "back" also pops the child below; to prevent
    /// that, name the slot.
    public final func pop(_ stack: ChildStack) async {
        await core.transition {
            if let top = stack.slots.last { await core.vacate(top) }
        }
    }

    /// Detaches the slot's child and all children above it, topmost first, in one batch. Does
    /// nothing if the child is not in the stack.
    public final func pop<F: Feature>(_ slot: ChildSlot<F>, off stack: ChildStack) async {
        await core.transition(isBatch: true) {
            guard let child = slot.child else { return }
            for slot in stack.covering(child) { await core.vacate(slot) }
        }
    }

    /// Detaches all of the stack's children, topmost first, in one batch.
    public final func popToRoot(_ stack: ChildStack) async {
        await core.transition(isBatch: true) {
            for slot in stack.slots.reversed() { await core.vacate(slot) }
        }
    }

    /// Detaches the top and attaches the router that `build` returns in its place, in one batch;
    /// pushes if the stack is empty. Does nothing while the slot is occupied. The new child is
    /// built first.
    public final func replaceTop<F: Feature>(
        of stack: ChildStack, with slot: ChildSlot<F>, _ build: () async -> any Routing
    ) async {
        await core.transition(isBatch: true) {
            guard slot.child == nil else { return }
            let child = await build()
            guard core.admits(child) else { return }
            if let top = stack.slots.last { await core.vacate(top) }
            await core.put(child, in: slot, on: stack)
        }
    }
}

extension RouterCore {
    func push(
        _ slot: any ChildSlotProtocol, on stack: ChildStack, _ build: () async -> any Routing
    ) async {
        await transition {
            guard slot.child == nil else { return }
            await put(await build(), in: slot, on: stack)
        }
    }

    fileprivate func put(
        _ child: any Routing, in slot: any ChildSlotProtocol, on stack: ChildStack
    ) async {
        // The slot may have been taken while the child was built.
        guard slot.child == nil, admits(child) else { return }
        // Before it is activated, so that a child that it pushes itself comes above it.
        stack.slots.append(slot)
        await attach(child, in: slot, of: stack, presentation: .push)
        if slot.child == nil { stack.vacated(slot) }
    }
}
