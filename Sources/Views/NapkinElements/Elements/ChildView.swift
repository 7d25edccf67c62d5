// ChildView: the place of an embedded child in its parent's body.

public import NapkinCore

/// The place of the children of a feature that the parent's router has embedded; empty if there are
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
/// Several children are below one another, in the order in which they were attached, each at the
/// first of its places. A child that the body has no place for is below the body; one whose place
/// is on a covered page, or in a tab that has been seen, is as hidden as that. Not in SwiftUI, in
/// which a parent makes the views of its children.
public struct ChildView: View, Primitive {
    public typealias Body = Never
    private let place: ChildPlace

    /// - Parameters:
    ///   - feature: the children's feature, from its contract.
    ///   - slot: the name of the router's slot, where several have children of the feature.
    public init<F: Feature>(_ feature: F.Type, slot: String? = nil) {
        place = .embedded(F.id, slot: slot)
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        context.place(place)
    }
}

/// The place that an element is, for as long as its view is there.
final class PlaceMemory: ElementMemory {
    static var outlivesWorker: Bool { true }
    fileprivate(set) var place: ChildPlace

    fileprivate init(_ place: ChildPlace) {
        self.place = place
    }
}

extension RenderContext {
    /// Returns the place of children, and remembers it while it is not seen.
    func place(_ place: ChildPlace) -> [RenderedElement] {
        memory { PlaceMemory(place) }.place = place
        return [.place(place)]
    }
}
