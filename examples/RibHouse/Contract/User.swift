// User: who has come to eat.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.

public import NapkinCore

/// A guest and the menu that is theirs.
@Message
public struct User: Hashable {
    public var name: String
    public var foods: [String]

    public init(name: String, foods: [String]) {
        self.name = name
        self.foods = foods
    }
}
