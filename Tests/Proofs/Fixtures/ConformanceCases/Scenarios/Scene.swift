// Scene: what a scenario has to work with, in the process of the interactors.

import NapkinCore
import NapkinTesting

/// A scenario: does something, and notes what came of it. What fronts see of it they note, too.
typealias Scenario = @MainActor @Sendable (Scene) async throws -> Void

enum Scenarios {
    /// Each has a number of its own: the same one twice ends the process.
    static let all = Dictionary(
        uniqueKeysWithValues: [lifecycle, routing, injection, work, inventory]
            .flatMap { $0.map { ($0, $1) } })
}

/// A journal, and a place under the session's root.
@MainActor
final class Scene {
    let journal: Journal
    /// The router of the session's root, which is active and on stage.
    let root: StandRouter
    /// Places under the root, for as long as the scenario runs.
    let left = ChildSlot<ProbePage>("left")
    let right = ChildSlot<ProbePage>("right", presentation: .push)
    let list = ChildList<String, ProbePage>("list")
    let gate = ChildSwitch()
    let stack = ChildStack()
    let tabs = ChildTabs()

    /// - Parameter journal: what happens after the scenario is noted there, too.
    init(root: StandRouter, journal: Journal) {
        self.root = root
        self.journal = journal
    }

    /// The probes that the root has attached, in order.
    var names: String { names(of: root.children) }

    func names(of children: [any Routing]) -> String {
        children.compactMap { ($0 as? ProbeRouter)?.interactor.name }.joined(separator: " ")
    }

    private static func router(
        of probe: Probe, in routers: [any Routing]
    ) -> (any Routing)? {
        for router in routers {
            if router.interactable === probe { return router }
            if let found = Self.router(of: probe, in: router.children) { return found }
        }
        return nil
    }

    /// How a probe's feature stands at this moment.
    func standing(of probe: Probe) -> String {
        let node = Self.router(of: probe, in: root.children)?.core.node
        return "children: \(root.children.count), active: \(probe.lifecycle.isActive), "
            + "mounted: \(node?.isMounted ?? false)"
    }

    /// Notes what is reported of probes' routers during `body`, in place of logging it.
    func notingAnomalies(_ body: () async -> Void) async {
        let former = Anomaly.onReport { [journal] anomaly in
            // Other tests of this process may be at work.
            let line = "\(anomaly)"
            if line.contains("\(ProbeRouter.self)") { journal.note("warns: \(line)") }
        }
        await body()
        Anomaly.onReport(former)
    }

    func note(_ line: String) { journal.note(line) }

    /// An interactor that notes what happens to it.
    func probe(
        _ name: String = "probe", lifecycle: InteractorLifecycle = InteractorLifecycle(),
        onActive: @escaping Probe.Hook = { _ in }, onResign: @escaping Probe.Hook = { _ in },
        onTap: @escaping Probe.Hook = { _ in }
    ) -> Probe {
        Probe(name, journal, lifecycle, onActive: onActive, onResign: onResign, onTap: onTap)
    }

    /// As above, but it notes nothing: for what happens beside a scenario's own lines.
    func quietProbe(
        lifecycle: InteractorLifecycle = InteractorLifecycle(),
        onActive: @escaping Probe.Hook = { _ in }
    ) -> Probe {
        Probe(
            "probe", Journal(), lifecycle, onActive: onActive, onResign: { _ in },
            onTap: { _ in })
    }

    /// Returns when `line` has been noted `count` times.
    func noted(_ line: String, _ count: Int = 1) async {
        await journal.wait { lines in lines.count { $0 == line } >= count }
    }

    /// A router with a view, whose interactor notes what happens to it.
    func router(
        _ name: String, onActive: @escaping Probe.Hook = { _ in },
        onResign: @escaping Probe.Hook = { _ in }, onTap: @escaping Probe.Hook = { _ in }
    ) -> ProbeRouter {
        ProbeRouter(probe(name, onActive: onActive, onResign: onResign, onTap: onTap))
    }
}

/// Does what a scenario tells it to. Hooks get the probe.
final actor Probe: PresentableInteractable, ProbePresentableListener {
    typealias Hook = @Sendable (isolated Probe) async -> Void

    nonisolated let lifecycle: InteractorLifecycle
    nonisolated let name: String
    nonisolated let journal: Journal
    nonisolated let presenter: any ProbePresentable
    private nonisolated let handover: Handover
    private let onActive: Hook
    private let onResign: Hook
    private let onTap: Hook

    @MainActor
    init(
        _ name: String, _ journal: Journal, _ lifecycle: InteractorLifecycle,
        onActive: @escaping Hook, onResign: @escaping Hook, onTap: @escaping Hook
    ) {
        self.name = name
        self.journal = journal
        self.lifecycle = lifecycle
        self.onActive = onActive
        self.onResign = onResign
        self.onTap = onTap
        let view = RemoteView<ProbePage>(arguments: .init(name: name))
        handover = Handover(view)
        presenter = view.presenter
    }

    /// Gives the view to the router, which owns it: it keeps its probe, so that a probe that kept
    /// it would never be released.
    @MainActor
    func takeView() -> RemoteView<ProbePage> { handover.take() }

    func didBecomeActive() async {
        journal.note("\(name) becomes active: \(isActive)")
        await onActive(self)
    }

    func willResignActive() async {
        journal.note("\(name) resigns: \(isActive)")
        await onResign(self)
    }

    func didTap() async {
        journal.note("\(name) tapped")
        await onTap(self)
    }
}

/// A view on its way to its router.
@MainActor
private final class Handover {
    private var view: RemoteView<ProbePage>?

    init(_ view: RemoteView<ProbePage>) {
        self.view = view
    }

    func take() -> RemoteView<ProbePage> {
        guard let view = view.take() else { preconditionFailure("a probe has one router") }
        return view
    }
}

/// A router for probes, with places of its own.
@MainActor
final class ProbeRouter: ViewableRouter<Probe, ProbePage> {
    let left = ChildSlot<ProbePage>("left")
    let right = ChildSlot<ProbePage>("right", presentation: .push)
    var onLoad: (ProbeRouter) async -> Void = { _ in }

    init(_ interactor: Probe) {
        super.init(interactor: interactor, view: interactor.takeView(), listener: interactor)
    }

    override func didLoad() async {
        interactor.journal.note("\(interactor.name) loads")
        await onLoad(self)
    }
}
