// StateKey: identifies a state or a log of a node; also the set of waiting states.

/// Identifies a state or a log. Its newest value or items are looked up at the time of sending.
public struct StateKey: Hashable, Sendable {
    public var node: UInt32
    public var method: UInt32

    public init(node: UInt32, method: UInt32) {
        self.node = node
        self.method = method
    }
}

/// The waiting states, each with its place. Comparing a few costs less than hashing one
/// (measured).
struct StateKeys: Hashable {
    private struct Waiting: Hashable {
        let key: StateKey
        let place: Int
    }

    private static let fewMax = 8
    private var few: [Waiting] = []
    /// All waiting states, while there are more than `fewMax`.
    private var many: [StateKey: Int] = [:]

    var count: Int { few.count + many.count }

    /// Returns the key's place if it is already waiting.
    mutating func insert(_ key: StateKey, at place: Int) -> Int? {
        if many.isEmpty {
            if let known = few.first(where: { $0.key == key }) { return known.place }
            few.append(Waiting(key: key, place: place))
            guard few.count > Self.fewMax else { return nil }
            for waiting in few { many[waiting.key] = waiting.place }
            few = []
            return nil
        }
        if let known = many[key] { return known }
        many[key] = place
        return nil
    }

    mutating func remove(_ key: StateKey) {
        if !many.isEmpty {
            many[key] = nil
        } else if let index = few.firstIndex(where: { $0.key == key }) {
            few.remove(at: index)
        }
    }
}
