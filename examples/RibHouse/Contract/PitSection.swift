// PitSection: the items of one stage.

public import NapkinCore

/// One section of the board; it always has items.
@Message
public struct PitSection: Hashable, Identifiable {
    public var stage: PitItem.Stage
    public var items: [PitItem]

    public var id: PitItem.Stage { stage }
    public var title: String { stage.title }
}
