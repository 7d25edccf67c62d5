// InjectionScenarios: section D, components and builders.
//
// Isolation  @MainActor; callers of components come from threads of their own.

import Foundation
import NapkinCore
import NapkinTesting

extension Scenarios {
    static let injection: [String: Scenario] = [
        "D1": { scene in
            let house = Smokehouse()
            let smoker = Smoker(dependency: house)
            scene.note("holds it: \(smoker.dependency === house)")
            scene.note("reaches through: \(smoker.thermometer === house.thermometer)")
        },
        "D2": { scene in
            var counts: Set<Int> = []
            var made: Set<[String]> = []
            for _ in 0..<20 {
                let house = Smokehouse()
                counts.insert(await distinct(house) { $0.thermometer })
                made.insert(house.made.lines)
            }
            scene.note("instances: \(counts)")
            scene.note("made: \(made)")
        },
        "D3": { scene in
            let house = Smokehouse()
            scene.note("instances: \(await distinct(house) { $0.fresh })")
            scene.note("made: \(house.made.lines.count)")
        },
        "D4": { scene in
            let house = Smokehouse()
            // 32 callers of what is shared at three depths, from the innermost and the outermost.
            let nested = await distinct(house) { house in
                Bool.random() ? house.pairs[1][0] : house.thermometer
            }
            scene.note("instances: \(nested)")
            scene.note("equal: \(house.pair[1] === house.other)")
            for _ in 0..<2 { scene.note("missing: \(house.missing == nil)") }
            scene.note("present: \(house.present != nil && house.present === house.present)")
            scene.note("made: \(house.made.lines.sorted().joined(separator: " "))")
        },
        "D5": componentizes,
        "D6": buildsInStages,
        "D7": { scene in
            let house = Smokehouse()
            let builder = NamedBuilder { Smoker(dependency: house, wood: $0) }
            await scene.root.attach(scene.left) {
                await builder.build(
                    withDynamicBuildDependency: ("ribs", scene),
                    dynamicComponentDependency: "oak") as ProbeRouter
            }
            scene.journal.note("Encodable: \(house.thermometer as Any is any Encodable)")
            scene.journal.note("Decodable: \(house.thermometer as Any is any Decodable)")
        },
    ]

    /// How many different instances 32 callers get at the same time, each from a thread of its own:
    /// whoever makes one does so when all are calling.
    private static func distinct(
        _ house: Smokehouse, _ get: @escaping @MainActor @Sendable (Smokehouse) -> Thermometer
    ) async -> Int {
        let count = 32
        let callers = house.callers
        for _ in 0..<count { callers.enter() }
        let (results, continuation) = AsyncStream.makeStream(of: Thermometer.self)
        for _ in 0..<count {
            Thread.detachNewThread {
                Task { @MainActor in continuation.yield(get(house)) }
                callers.leave()
            }
        }
        let all = await results.prefix(count).reduce(into: []) { $0.append($1) }
        return Set(all.map(ObjectIdentifier.init)).count
    }

    private static let componentizes: Scenario = { scene in
        let house = Smokehouse()
        let plain = PlainBuilder { Smoker(dependency: house) }
        var smokers: [Smoker] = []
        for _ in 0..<10 { smokers.append(await plain.build().smoker) }
        scene.note("simple: \(Set(smokers.map(ObjectIdentifier.init)).count) components of 10")
        scene.note("static: \(smokers.allSatisfy { $0.dependency === house })")

        let named = NamedBuilder { Smoker(dependency: house, wood: $0) }
        let both: (Smoker, ProbeRouter) = await named.build(
            withDynamicBuildDependency: ("ribs", scene), dynamicComponentDependency: "hickory")
        scene.note("dynamic, of the component: \(both.0.wood)")
        scene.note("dynamic, of the build: \(both.1.interactor.name)")
        scene.note("static: \(both.0.dependency === house)")
        await scene.root.attach(scene.left) { both.1 }

        let races = (0..<32).map { number in
            Task { @MainActor () -> (Smoker, ProbeRouter) in
                await named.build(
                    withDynamicBuildDependency: ("\(number)", scene),
                    dynamicComponentDependency: "wood \(number)")
            }
        }
        var built: [(Smoker, ProbeRouter)] = []
        for race in races { built.append(await race.value) }
        let names = built.enumerated().filter { number, pair in
            pair.1.interactor.name == "\(number) on \(pair.0.wood)"
        }
        scene.note(
            "at the same time: \(Set(built.map { ObjectIdentifier($0.0) }).count) components, "
                + "\(names.count) in the right feature")
    }

    private static let buildsInStages: Scenario = { scene in
        let house = Smokehouse()
        let plain = PlainStagedBuilder { Smoker(dependency: house) }
        let first = plain.componentForCurrentBuildPass
        scene.note("one in a pass: \(plain.componentForCurrentBuildPass === first)")
        scene.note("the final stage's: \(await plain.finalStageBuild().smoker === first)")
        let second = plain.componentForCurrentBuildPass
        scene.note("cleared: \(second !== first)")
        scene.note("the next pass's: \(await plain.finalStageBuild().smoker === second)")
        scene.note("a pass of one stage: \(await plain.finalStageBuild().smoker !== second)")

        let staged = StagedBuilder { Smoker(dependency: house) }
        let callers = (0..<32).map { _ in
            Task.detached { await staged.componentForCurrentBuildPass }
        }
        var all: [Smoker] = []
        for caller in callers { all.append(await caller.value) }
        scene.note("32 callers: \(Set(all.map(ObjectIdentifier.init)).count) component")

        // Two final stages that wait, and one who asks meanwhile.
        let gate = HeldTasks()
        let stages = (0..<2).map { _ in
            Task.immediate { await staged.finalStageBuild(withDynamicDependency: gate) }
        }
        let third = staged.componentForCurrentBuildPass
        gate.open()
        let (one, two) = (await stages[0].value, await stages[1].value)
        scene.note("each saw its own: \(one.sawOne && two.sawOne)")
        scene.note("the pass's: \(one.smoker === all[0])")
        let passes = [one.smoker, two.smoker, third].map(ObjectIdentifier.init)
        scene.note("three passes: \(Set(passes).count) components")
    }
}
