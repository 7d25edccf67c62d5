// User: a guest of the house.

public import NapkinCore

/// A guest with their menu.
@Message
public struct User: Hashable {
    public var name: String
    public var foods: [String]
}
