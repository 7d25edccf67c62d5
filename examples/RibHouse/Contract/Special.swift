// Special: a dish that is on for today.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.

public import NapkinCore

/// One of the two dishes that the board praises.
@Message
public struct Special: Hashable, Identifiable {
    public var id: String
    public var name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
