// ComponentizedBuilderTests: builders that make one component for each feature.

import Glibc
import NapkinCore
import TestSupport
import Testing

/// What the features of these tests are built with.
private final class Kitchen: Component<String> {
    let table: Int

    init(dependency: String, table: Int = 0) {
        self.table = table
        super.init(dependency: dependency)
    }
}

/// What stands for a router: what its build was given.
private struct Meal {
    let kitchen: Kitchen
    let order: String
}

private final class MealBuilder: ComponentizedBuilder<Kitchen, Meal, String, Int> {
    override func build(with component: Kitchen, _ order: String) async -> Meal {
        await Task.yield()
        return Meal(kitchen: component, order: order)
    }
}

private final class SnackBuilder: SimpleComponentizedBuilder<Kitchen, Meal> {
    override func build(with component: Kitchen) async -> Meal {
        Meal(kitchen: component, order: "snack")
    }
}

private final class CourseBuilder: MultiStageComponentizedBuilder<Kitchen, Meal, Latch> {
    override func finalStageBuild(with component: Kitchen, _ latch: Latch) async -> Meal {
        let before = componentForCurrentBuildPass
        await latch.wait()
        let after = componentForCurrentBuildPass
        return Meal(kitchen: component, order: "\(before === component && after === component)")
    }
}

private final class PlainCourseBuilder: SimpleMultiStageComponentizedBuilder<Kitchen, Meal> {
    override func finalStageBuild(with component: Kitchen) async -> Meal {
        Meal(kitchen: component, order: "plain")
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ComponentizedBuilderTests {
    private let meals = MealBuilder { Kitchen(dependency: "smokehouse", table: $0) }
    private let courses = CourseBuilder { Kitchen(dependency: "smokehouse") }

    @Test("D5: each build gets a new component")
    func makesNew() async {
        let builder = SnackBuilder { Kitchen(dependency: "smokehouse") }
        var seen: [Kitchen] = []
        for _ in 0..<10 { seen.append(await builder.build().kitchen) }
        #expect(Set(seen.map(ObjectIdentifier.init)).count == 10)
    }

    @Test("D5: static and dynamic dependencies reach the component and the build")
    func handsOver() async {
        let meal: Meal = await meals.build(
            withDynamicBuildDependency: "ribs", dynamicComponentDependency: 7)
        #expect(meal.kitchen.dependency == "smokehouse")
        #expect(meal.kitchen.table == 7)
        #expect(meal.order == "ribs")
    }

    @Test("D5: the tuple form returns the component and what was built with it")
    func returnsBoth() async {
        let (kitchen, meal): (Kitchen, Meal) = await meals.build(
            withDynamicBuildDependency: "ribs", dynamicComponentDependency: 7)
        #expect(meal.kitchen === kitchen)
    }

    @Test("D5: builds at the same time have a component each")
    func buildsConcurrently() async {
        let meals = self.meals
        let built = (0..<32).map { number in
            dispatchedMeal { () -> Meal in
                await meals.build(
                    withDynamicBuildDependency: "\(number)", dynamicComponentDependency: number)
            }
        }
        var seen: [Kitchen] = []
        for task in built {
            let meal = await task.value
            #expect(meal.order == "\(meal.kitchen.table)")
            seen.append(meal.kitchen)
        }
        #expect(Set(seen.map(ObjectIdentifier.init)).count == 32)
    }

    private func dispatchedMeal(
        _ body: @escaping @MainActor () async -> Meal
    ) -> Task<Meal, Never> {
        Task { @MainActor in await body() }
    }

    @Test("D5: a builder does not keep the component")
    func letsGo() async {
        weak var kitchen: Kitchen?
        do {
            let meal: Meal = await meals.build(
                withDynamicBuildDependency: "ribs", dynamicComponentDependency: 1)
            kitchen = meal.kitchen
        }
        #expect(kitchen == nil)
    }

    @Test("D5: a component that is returned again ends the process, and the words say what to do")
    func catchesTheSame() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            // The first and the third are the same, which comparing with the last would not see.
            let kitchens = [Kitchen(dependency: "a"), Kitchen(dependency: "b")]
            let count = StateCell(0)
            let builder = SnackBuilder {
                defer { count.value += 1 }
                return kitchens[count.value % 2]
            }
            _ = await builder.build()
            _ = await builder.build()
            FileDescriptorNote.write("two were built\n")
            _ = await builder.build()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("two were built"))
        #expect(text.contains("returned the same Kitchen twice: create a new component"))
    }

    @Test("D6: a pass has one component, and the final stage ends the pass")
    func sharesWithinAPass() async {
        let builder = PlainCourseBuilder { Kitchen(dependency: "smokehouse") }
        let first = builder.componentForCurrentBuildPass
        #expect(builder.componentForCurrentBuildPass === first)
        #expect(await builder.finalStageBuild().kitchen === first)
        let second = builder.componentForCurrentBuildPass
        #expect(second !== first)
        #expect(await builder.finalStageBuild().kitchen === second)
        // Without an earlier step the final stage is a whole pass.
        #expect(await builder.finalStageBuild().kitchen !== second)
    }

    @Test("D6: 32 concurrent callers in a pass get the same component")
    func races() async {
        let courses = self.courses
        let callers = (0..<32).map { _ in
            Task.detached { await courses.componentForCurrentBuildPass }
        }
        var all: [Kitchen] = []
        for caller in callers { all.append(await caller.value) }
        #expect(all.count == 32)
        #expect(Set(all.map(ObjectIdentifier.init)).count == 1)
    }

    @Test("D6: a final stage that waits keeps its component, and others begin a new pass")
    func waitsWithItsOwn() async {
        let courses = self.courses
        let latch = Latch()
        let first = courses.componentForCurrentBuildPass
        let one = dispatchedMeal { await courses.finalStageBuild(withDynamicDependency: latch) }
        let two = dispatchedMeal { await courses.finalStageBuild(withDynamicDependency: latch) }
        await letOthersRun()
        let third = courses.componentForCurrentBuildPass
        latch.open()
        let meals = [await one.value, await two.value]
        #expect(meals.allSatisfy { $0.order == "true" })
        #expect(meals[0].kitchen === first)
        #expect(Set([first, meals[1].kitchen, third].map(ObjectIdentifier.init)).count == 3)
        #expect(courses.componentForCurrentBuildPass === third)
    }
}

/// Writes to standard error, past any buffer.
private enum FileDescriptorNote {
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
