// IdentityTests: a view's state belongs to its place, through insertions, removals and reorderings.

import Testing

@testable import NapkinElements

/// What a view consists of, at random.
private indirect enum Plan {
    case leaf
    case pair(Plan, Plan)
    case choice(Bool, Plan)
    case maybe(Bool, Plan)
    case each([(id: Int, plan: Plan)])
    case named(Int, Plan)

    static func random(_ depth: Int, _ generator: inout SplitMix) -> Plan {
        guard depth > 0 else { return .leaf }
        func next() -> Plan { random(depth - 1, &generator) }
        switch generator.next() % 6 {
        case 0: return .leaf
        case 1: return .pair(next(), next())
        case 2: return .choice(generator.next() % 2 == 0, next())
        case 3: return .maybe(generator.next() % 2 == 0, next())
        case 4: return .named(Int(generator.next() % 3), next())
        default:
            // Now and then two values say that they are the same.
            let ids = (0..<generator.next() % 5).map { _ in Int(generator.next() % 6) }
            return .each(ids.map { ($0, next()) })
        }
    }

    /// Returns the plan with one thing changed somewhere.
    func changed(_ generator: inout SplitMix) -> Plan {
        func goesOn() -> Bool { generator.next() % 3 != 0 }
        switch self {
        case .pair(let first, let second) where goesOn():
            return generator.next() % 2 == 0
                ? .pair(first.changed(&generator), second)
                : .pair(first, second.changed(&generator))
        case .choice(let isFirst, let plan):
            return goesOn()
                ? .choice(isFirst, plan.changed(&generator)) : .choice(!isFirst, plan)
        case .maybe(let isThere, let plan):
            return goesOn()
                ? .maybe(isThere, plan.changed(&generator)) : .maybe(!isThere, plan)
        case .named(let name, let plan):
            return goesOn() ? .named(name, plan.changed(&generator)) : .named(name + 1, plan)
        case .each(var plans) where !plans.isEmpty:
            let index = Int(generator.next() % UInt64(plans.count))
            switch generator.next() % 4 {
            case 0: plans.remove(at: index)
            case 1: plans.insert((Int(generator.next() % 9), .leaf), at: index)
            case 2: plans.swapAt(0, index)
            default: plans[index].plan = plans[index].plan.changed(&generator)
            }
            return .each(plans)
        default: return .random(2, &generator)
        }
    }

    /// The places of the leaves, from top to bottom, as SwiftUI's rules have them.
    func places(_ path: String = "") -> [String] {
        switch self {
        case .leaf: return [path + "/leaf"]
        case .pair(let first, let second):
            return first.places(path + "/pair.0") + second.places(path + "/pair.1")
        case .choice(let isFirst, let plan): return plan.places(path + "/choice.\(isFirst)")
        case .maybe(let isThere, let plan):
            return (isThere ? plan.places(path + "/maybe.0") : []) + [path + "/maybe.1"]
        case .named(let name, let plan): return plan.places(path + "/named.\(name)")
        case .each(let plans):
            var counts: [Int: Int] = [:]
            return plans.flatMap { id, plan in
                counts[id, default: 0] += 1
                return plan.places(path + "/each.\(id).\(counts[id] ?? 0)")
            }
        }
    }
}

/// The view of a plan.
private struct PlanView: View {
    let plan: Plan

    var body: some View {
        switch plan {
        case .leaf: Leaf()
        case .pair(let first, let second):
            AnyView(PlanView(plan: first))
            AnyView(PlanView(plan: second))
        case .choice(let isFirst, let plan):
            if isFirst { AnyView(PlanView(plan: plan)) } else { AnyView(PlanView(plan: plan)) }
        case .maybe(let isThere, let plan):
            if isThere { AnyView(PlanView(plan: plan)) }
            Leaf()
        case .named(let name, let plan): AnyView(PlanView(plan: plan)).id(name)
        case .each(let plans):
            ForEach(plans, id: \.id) { AnyView(PlanView(plan: $0.plan)) }
        }
    }
}

/// Shows a number that is new at each place, and stays there.
private struct Leaf: View {
    private static var numbers = 0
    @State private var number = Self.next()

    private static func next() -> Int {
        numbers += 1
        return numbers
    }

    var body: some View { Text("\(number)") }
}

/// A generator that begins again with the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite struct IdentityTests {
    @Test(arguments: 1...300)
    func `state stays at its place, and goes with it`(seed: UInt64) {
        var generator = SplitMix(state: seed)
        var plan = Plan.random(4, &generator)
        let root = SiteRoot()
        var known: [String: Int] = [:]
        var greatest = 0
        for step in 0..<12 {
            let elements = root.evaluate(PlanView(plan: plan), EnvironmentValues()).elements
            let numbers = elements.texts.compactMap(Int.init)
            let places = plan.places()
            #expect(numbers.count == places.count)
            var now: [String: Int] = [:]
            for (place, number) in zip(places, numbers) {
                if let before = known[place] {
                    #expect(number == before, "seed \(seed), step \(step), \(place)")
                } else {
                    #expect(number > greatest, "seed \(seed), step \(step), \(place)")
                }
                now[place] = number
            }
            greatest = max(greatest, numbers.max() ?? 0)
            known = now
            plan = plan.changed(&generator)
        }
    }
}
