// Search: goes through every situation that a scope allows, breadth first.

/// A world of machines, small enough to be searched whole.
public protocol SearchedWorld: Hashable {
    associatedtype Scope
    associatedtype Move

    init(_ scope: Scope)
    /// What is wrong, once something is.
    var failure: String? { get }
    /// Everything that can happen next.
    func moves(_ scope: Scope) -> [Move]
    /// Whether a move need not happen: where no other is left, the world must be at its end.
    func isFault(_ move: Move) -> Bool
    func after(_ move: Move, _ scope: Scope) -> Self
    mutating func checkEnd(_ scope: Scope)
}

/// What a search has found. Situations are told apart by 64 bits of their hashes: of 1.3 million,
/// two different ones are taken for the same with a probability below one in ten million.
public struct Search<World: SearchedWorld>: CustomStringConvertible {
    public private(set) var states = 0
    public private(set) var ends = 0
    /// The shortest way to a situation that must not be, and what is wrong with it.
    public private(set) var failure: (what: String, way: [World.Move])?

    /// Beyond that the scope is too large for a test. Chosen.
    public static var statesMax: Int { 20_000_000 }

    public var description: String { "\(states) states, \(ends) ends" }

    /// Goes everywhere, or to the first failure.
    public init(_ scope: World.Scope) {
        /// Where each situation came from, in the order in which they were found.
        var origins: [(parent: Int32, move: World.Move?)] = [(-1, nil)]
        let first = World(scope)
        var seen: Set = [first.hashValue]
        var level: [(Int32, World)] = [(0, first)]
        while !level.isEmpty, failure == nil, origins.count < Self.statesMax {
            var next: [(Int32, World)] = []
            for (number, world) in level where failure == nil {
                let moves = world.moves(scope)
                if moves.allSatisfy(world.isFault) {
                    ends += 1
                    var end = world
                    end.checkEnd(scope)
                    failure = end.failure.map { ($0, Self.way(to: number, origins)) }
                }
                for move in moves where failure == nil {
                    let after = world.after(move, scope)
                    failure = after.failure.map { ($0, Self.way(to: number, origins) + [move]) }
                    guard seen.insert(after.hashValue).inserted else { continue }
                    next.append((Int32(origins.count), after))
                    origins.append((number, move))
                }
            }
            level = next
        }
        states = origins.count
    }

    private static func way(
        to state: Int32, _ origins: [(parent: Int32, move: World.Move?)]
    ) -> [World.Move] {
        var way: [World.Move] = []
        var number = Int(state)
        while let move = origins[number].move {
            way.append(move)
            number = Int(origins[number].parent)
        }
        return way.reversed()
    }
}
