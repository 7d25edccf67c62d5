// ShownNode: a node as a front under test shows it, and its lines in the front's journal.

public import NapkinCore
import NapkinFront

/// A node as a front shows it.
@MainActor
public struct ShownNode {
    public let id: UInt32
    /// The parent's number; 0 at the root.
    public let parent: UInt32
    public let feature: FeatureID
    public let slot: String
    public let presentation: Presentation
    /// The object that the registered closure created; `nil` without one.
    public let view: Any?
}

extension ShownNode {
    init(_ node: FrontNode) {
        self.init(
            id: node.id, parent: node.parent, feature: node.feature, slot: node.slot,
            presentation: node.presentation, view: node.view?.view)
    }

    /// The feature's name without its app's name: `pit-board`.
    private var name: String {
        feature.rawValue.split(separator: ".", maxSplits: 1).last.map(String.init)
            ?? feature.rawValue
    }

    var mountLine: String {
        slot.isEmpty ? "+ \(name)" : "+ \(name) in \(slot) (\(presentation))"
    }

    var unmountLine: String { "- \(name)" }
}
