// NavigationTests: pages on a stack and behind a switch, as they are after a worker's death.

package import NapkinCore
import NapkinTesting
import Testing

@Crossing @MainActor
package protocol WayPresentable: Presentable {
    func present(steps: Int) async
}

@Crossing
package protocol WayPresentableListener: PresentableListener {
    func go(_ step: String) async
}

package enum Way: Feature {
    package static let id: FeatureID = "way"
    package typealias Presenting = WayPresentableCrossing
    package typealias Listening = WayPresentableListenerCrossing
}

package enum WayStop: Feature {
    package static let id: FeatureID = "place"
    package typealias Presenting = WayPresentableCrossing
    package typealias Listening = WayPresentableListenerCrossing

    @Message
    package struct Arguments: Hashable {
        package var name: String
    }
}

@Durable
private final actor WayInteractor: PresentableInteractable {
    @Message fileprivate struct State: DurableState {
        var steps: Int = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any WayPresentable
    fileprivate var state = State()
    @Volatile private weak var router: WayRouter?

    init(presenter: any WayPresentable) { self.presenter = presenter }

    func wire(_ router: WayRouter) { self.router = router }

    func didBecomeActive() async { await presenter.present(steps: state.steps) }
}

extension WayInteractor: WayPresentableListener {
    func go(_ step: String) async {
        state.steps += 1
        await presenter.present(steps: state.steps)
        await router?.go(step)
    }
}

@MainActor
private final class WayRouter: LaunchRouter<WayInteractor, Way> {
    let pages = ChildStack()
    let gate = ChildSwitch()
    let first = ChildRoute<WayRouter, WayStop>("first", on: \.pages) { _, view in
        WayInteractor(presenter: view.presenter)
    }
    let second = ChildRoute<WayRouter, WayStop>("second", on: \.pages) { _, view in
        WayInteractor(presenter: view.presenter)
    }
    let left = ChildRoute<WayRouter, WayStop>("left", in: \.gate) { _, view in
        WayInteractor(presenter: view.presenter)
    }
    let right = ChildRoute<WayRouter, WayStop>("right", in: \.gate) { _, view in
        WayInteractor(presenter: view.presenter)
    }

    static func make() async -> WayRouter {
        let view = RemoteView<Way>()
        let interactor = WayInteractor(presenter: view.presenter)
        let router = WayRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }

    /// `+first a` pushes, `+left b` swaps, `=second c` replaces the top, `-first` and `-` pop.
    func go(_ step: String) async {
        let words = step.dropFirst().split(separator: " ").map { String($0) }
        guard let name = words.first else { return await popToRoot(pages) }
        guard let route = [first, second, left, right].first(where: { $0.name == name }) else {
            return
        }
        let arguments = WayStop.Arguments(name: words.last ?? "")
        switch step.first {
        case "=": await replaceTop(with: route, arguments: arguments)
        case "-": await pop(route, off: pages)
        default: await attach(route, arguments: arguments)
        }
    }

    /// What is on the stack, from its bottom on, and what is behind the switch.
    var shown: [String] {
        (pages.children + [gate.child].compactMap(\.self)).map { child in
            typealias StopRouter = ViewableRouter<WayStop.Listening.Target, WayStop>
            return "\(child.core.slot) \((child as? StopRouter)?.view.arguments.name ?? "?")"
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct NavigationTests {
    /// Goes these steps, and returns what is shown before and after a worker's death.
    private func shown(after steps: [String], then more: [String] = []) async throws -> [[String]] {
        let features: [any Feature.Type] = [Way.self, WayStop.self]
        let session = await TestSession.launch(WayRouter.make(), features: features) {
            await WayRouter.make()
        }
        let views = RecordingViews().record(Way.self).record(WayStop.self)
        _ = try await session.attach(views)
        var shown: [[String]] = []
        func go(_ steps: [String]) async throws {
            let listener = try #require(views.newest(Way.self)?.listener)
            for step in steps { await listener.go(step) }
            shown.append(try #require(session.root as? WayRouter).shown)
        }
        try await go(steps)
        await session.restart { await WayRouter.make() }
        try await go([])
        try await go(more)
        try await session.expectQuiescent()
        await session.end()
        return shown
    }

    @Test(
        arguments: [
            (["+first a", "+second b"], ["first a", "second b"]),
            (["+second b", "+first a"], ["second b", "first a"]),
            (["+first a", "=second b"], ["second b"]),
            (["=first a"], ["first a"]),
            (["+first a", "=first b"], ["first b"]),
            (["+first a", "+second b", "=first c"], ["first c"]),
            (["+first a", "=second b", "+first c", "=first d"], ["second b", "first d"]),
            (["+first a", "+second b", "-first"], []),
            (["+first a", "-", "=second b", "-", "+first c"], ["first c"]),
            (["+left a"], ["left a"]), (["+left a", "+right b"], ["right b"]),
            (["+left a", "+right b", "+left c"], ["left c"]),
            (["+first a", "+left b", "=second c"], ["second c", "left b"]),
        ] as [([String], [String])])
    func `pages come back as they were`(steps: [String], pages: [String]) async throws {
        #expect(try await shown(after: steps) == [pages, pages, pages])
    }

    @Test func `what comes back is where the next step looks for it`() async throws {
        let steps = ["+first a", "=second b", "+left c"]
        #expect(
            try await shown(after: steps, then: ["+right d", "=first e"]).last
                == ["first e", "right d"])
        #expect(try await shown(after: steps, then: ["-"]).last == ["left c"])
    }
}
