// User: a guest of the house.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.

public import NapkinCore

/// A guest with their menu.
@Message
public struct User: Hashable {
    public var name: String
    public var foods: [String]
}
