// Lots: things with weights, one of which is drawn.

import ProofSupport

/// Things with weights, one of which is drawn.
struct Lots<Thing: Sendable>: Sendable {
    private var things: [Thing] = []

    init(_ weighted: [(Int, Thing)]) {
        for (weight, thing) in weighted {
            things += Array(repeating: thing, count: weight)
        }
    }

    func draw(_ random: inout Randomness) -> Thing { things[random.below(things.count)] }
}
