// ResumeSearch: every situation that a scope allows, breadth first.

import NapkinProtocol

/// What a search has found.
struct ResumeFindings: CustomStringConvertible {
    var states = 0
    var transitions = 0
    var ends = 0
    /// The shortest way to a situation that must not be, and what is wrong with it.
    var failure: (what: String, way: [ResumeMove])?

    var description: String {
        "\(states) states, \(transitions) transitions, \(ends) ends"
    }
}

/// Situations are told apart by 64 bits of their hashes: of 1.3 million, two different ones are
/// taken for the same with a probability below one in ten million.
enum ResumeSearch {
    /// Beyond that the scope is too large for a test. Chosen: some minutes.
    static let statesMax = 3_000_000

    /// Goes everywhere, or to the first failure.
    static func run(_ scope: ResumeScope) -> ResumeFindings {
        var findings = ResumeFindings()
        /// Where each situation came from, in the order in which they were found.
        var origins: [(parent: Int32, move: ResumeMove?)] = [(-1, nil)]
        let first = ResumeWorld(scope)
        var seen: Set<Int> = [first.hashValue]
        var level: [(Int32, ResumeWorld)] = [(0, first)]
        while !level.isEmpty, findings.failure == nil, origins.count < statesMax {
            var next: [(Int32, ResumeWorld)] = []
            for (number, world) in level {
                let moves = world.moves(scope)
                if moves.allSatisfy(world.isFault) {
                    findings.ends += 1
                    var end = world
                    end.checkEnd(scope)
                    if let what = end.failure {
                        findings.failure = (what, way(to: Int(number), origins))
                        break
                    }
                }
                for move in moves {
                    findings.transitions += 1
                    let after = world.after(move, scope)
                    if let what = after.failure {
                        findings.failure = (what, way(to: Int(number), origins) + [move])
                        break
                    }
                    guard seen.insert(after.hashValue).inserted else { continue }
                    next.append((Int32(origins.count), after))
                    origins.append((number, move))
                }
                if findings.failure != nil { break }
            }
            level = next
        }
        findings.states = origins.count
        return findings
    }

    private static func way(to state: Int, _ origins: [(parent: Int32, move: ResumeMove?)])
        -> [ResumeMove]
    {
        var way: [ResumeMove] = []
        var number = state
        while let move = origins[number].move {
            way.append(move)
            number = Int(origins[number].parent)
        }
        return way.reversed()
    }
}
