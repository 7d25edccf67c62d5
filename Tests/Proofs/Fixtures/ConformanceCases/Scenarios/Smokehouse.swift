// Smokehouse: components and builders, as an app would write them.

import Dispatch
package import NapkinCore
import NapkinTesting

/// A service that nobody could encode: it holds a function.
package final class Thermometer: Sendable {
    let read: @Sendable () -> Int

    init(_ read: @escaping @Sendable () -> Int = { 110 }) {
        self.read = read
    }
}

/// What a smoker needs of its parent.
protocol SmokerDependency: Dependency {
    var thermometer: Thermometer { get }
}

/// A root: what is shared, what is not, and how often each was made.
final class Smokehouse: EmptyComponent, SmokerDependency {
    let made = Journal()
    /// Callers that are on their way: nothing is made before they are there.
    let callers = DispatchGroup()

    var thermometer: Thermometer { shared { make("thermometer") } }
    var other: Thermometer { shared { make("other") } }
    var fresh: Thermometer { make("fresh") }
    /// Shared values made of shared values.
    var pair: [Thermometer] { shared { [thermometer, other] } }
    var pairs: [[Thermometer]] { shared { [pair, pair] } }
    var missing: Thermometer? { shared { none("missing") } }
    var present: Thermometer? { shared { make("present") } }

    private func make(_ what: String) -> Thermometer {
        made.note(what)
        callers.wait()
        return Thermometer()
    }

    private func none(_ what: String) -> Thermometer? {
        made.note(what)
        return nil
    }
}

/// What one feature has for itself.
package final class Smoker: Component<any Dependency> {
    let wood: String

    init(dependency: any Dependency, wood: String = "oak") {
        self.wood = wood
        super.init(dependency: dependency)
    }

    /// From the dependency of whatever is above.
    var thermometer: Thermometer? { (dependency as? any SmokerDependency)?.thermometer }
}

/// Builds probes that are named after what their build was given.
final class NamedBuilder: ComponentizedBuilder<
    Smoker, ProbeRouter, (name: String, scene: Scene), String
>
{
    override func build(
        with component: Smoker, _ given: (name: String, scene: Scene)
    ) async -> ProbeRouter {
        await Task.yield()
        // A service of the component, used where the interactor is.
        let thermometer = component.thermometer
        return given.scene.router(
            "\(given.name) on \(component.wood)",
            onTap: { probe in
                let degrees = thermometer?.read() ?? 0
                await probe.presenter.present(text: "\(degrees) °C")
            })
    }
}

/// What a plain builder hands over.
package struct Smoked: Sendable {
    package let smoker: Smoker
    /// What the step before the last one saw, and what the last one did.
    package var sawOne = true
}

package final class PlainBuilder: SimpleComponentizedBuilder<Smoker, Smoked> {
    package override func build(with component: Smoker) async -> Smoked {
        Smoked(smoker: component)
    }
}

/// Its final stage waits, and looks at the pass's component before and after.
final class StagedBuilder: MultiStageComponentizedBuilder<Smoker, Smoked, HeldTasks> {
    override func finalStageBuild(with component: Smoker, _ gate: HeldTasks) async -> Smoked {
        let before = componentForCurrentBuildPass
        await gate.pass()
        let after = componentForCurrentBuildPass
        return Smoked(smoker: component, sawOne: before === component && after === component)
    }
}

final class PlainStagedBuilder: SimpleMultiStageComponentizedBuilder<Smoker, Smoked> {
    override func finalStageBuild(with component: Smoker) async -> Smoked {
        Smoked(smoker: component)
    }
}

/// The mistake that a builder catches, for a process that may end by it.
package enum SameComponentTwice {
    /// Builds with one component, then another, then the first again.
    @MainActor
    package static func build(_ note: (String) -> Void) async {
        let smokers = [Smoker(dependency: Smokehouse()), Smoker(dependency: Smokehouse())]
        let number = StateCell(0)
        let builder = PlainBuilder {
            defer { number.value += 1 }
            return smokers[number.value % 2]
        }
        for count in 1...3 {
            _ = await builder.build()
            note("built \(count)")
        }
    }
}
