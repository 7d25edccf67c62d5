// ChildView: the place of an embedded child in its parent's body.

public import NapkinCore

/// The place of a feature's children that the parent's router has embedded; empty if there are
/// none.
///
/// ```swift
/// ChildView(JobList.self)
/// HStack {
///     ChildView(Pane.self, slot: "left")
///     ChildView(Pane.self, slot: "right")
/// }
/// ```
///
/// Several children are stacked in the order in which they were attached, each at the first of its
/// places. A child without a place in the body is shown below the body; one with a place on a
/// covered page, or in a tab that has been seen, is hidden with it. Not in SwiftUI, where a parent
/// creates its children's views.
public struct ChildView: View, Primitive {
    private let outlet: ChildOutlet

    /// - Parameters:
    ///   - feature: the children's feature, from its contract.
    ///   - slot: the name of the router's slot, where several have children of the feature.
    public init<F: Feature>(_ feature: F.Type, slot: String? = nil) {
        outlet = .embedded(F.id, slot: slot)
    }

    package func elements(in context: RenderContext) -> [RenderedElement] { context.outlet(outlet) }
}

/// The outlet of an element, kept for as long as its view exists.
final class OutletMemory: ElementMemory {
    static var outlivesWorker: Bool { true }
    fileprivate(set) var outlet: ChildOutlet

    fileprivate init(_ outlet: ChildOutlet) { self.outlet = outlet }
}

extension RenderContext {
    /// Returns the outlet for children, and keeps it while it is hidden.
    func outlet(_ outlet: ChildOutlet) -> [RenderedElement] {
        memory { OutletMemory(outlet) }.outlet = outlet
        return [.outlet(outlet)]
    }
}
