// Special: one of today's dishes.

public import NapkinCore

/// One of the two dishes that the board recommends.
@Message
public struct Special: Hashable, Identifiable {
    public var id: String
    public var name: String
}
