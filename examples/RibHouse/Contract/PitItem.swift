// PitItem: a piece of meat and its stage.

public import NapkinCore

/// One item on the fire, or just off it.
@Message
public struct PitItem: Hashable, Identifiable {
    public var id: String
    public var name: String
    public var stage: Stage

    /// The stages of an item, in order.
    @Message
    public enum Stage: String, CaseIterable {
        case lighting
        case smoking
        case resting
        case served
    }
}

extension PitItem.Stage {
    /// The stage as a heading shows it.
    public var title: String {
        switch self {
        case .lighting: "Lighting"
        case .smoking: "Smoking"
        case .resting: "Resting"
        case .served: "Served"
        }
    }
}
