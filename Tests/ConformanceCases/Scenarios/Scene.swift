// Scene: what a scenario has to work with, in the process of the interactors.
//
// Layer      test support.
// Isolation  @MainActor.

import NapkinCore
import NapkinTesting

/// A scenario: does something, and notes what came of it. What fronts see of it they note, too.
typealias Scenario = @MainActor @Sendable (Scene) async throws -> Void

enum Scenarios {
    static let all = [lifecycle, work, ledger].reduce(into: [:]) { all, section in
        all.merge(section) { first, _ in first }
    }
}

/// A journal, and a place under the session's root.
@MainActor
final class Scene {
    let journal = Journal()
    /// The router of the session's root, which is active and on stage.
    let root: StandRouter
    /// Places under the root, for as long as the scenario runs.
    let left = ChildSlot<ProbePage>("left")
    let right = ChildSlot<ProbePage>("right", presentation: .push)

    init(root: StandRouter) {
        self.root = root
    }

    func note(_ line: String) { journal.note(line) }

    /// An interactor that notes what happens to it.
    func probe(
        _ name: String = "probe", lifecycle: InteractorLifecycle = InteractorLifecycle(),
        onActive: @escaping Probe.Hook = { _ in }, onResign: @escaping Probe.Hook = { _ in }
    ) -> Probe {
        Probe(name, journal, lifecycle, onActive: onActive, onResign: onResign)
    }

    /// As above, but it notes nothing: for what happens beside a scenario's own lines.
    func quietProbe(
        lifecycle: InteractorLifecycle = InteractorLifecycle(),
        onActive: @escaping Probe.Hook = { _ in }
    ) -> Probe {
        Probe("probe", Journal(), lifecycle, onActive: onActive, onResign: { _ in })
    }

    /// Returns when `line` has been noted `count` times.
    func noted(_ line: String, _ count: Int = 1) async {
        await journal.wait { lines in lines.count { $0 == line } >= count }
    }

    /// A router with a view, whose interactor notes what happens to it.
    func router(
        _ name: String, onActive: @escaping Probe.Hook = { _ in },
        onResign: @escaping Probe.Hook = { _ in }
    ) -> ProbeRouter {
        ProbeRouter(probe(name, onActive: onActive, onResign: onResign))
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

    @MainActor
    init(
        _ name: String, _ journal: Journal, _ lifecycle: InteractorLifecycle,
        onActive: @escaping Hook, onResign: @escaping Hook
    ) {
        self.name = name
        self.journal = journal
        self.lifecycle = lifecycle
        self.onActive = onActive
        self.onResign = onResign
        let view = RemoteView<ProbePage>()
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

    func didTap() async { journal.note("\(name) tapped") }
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
        super.init(interactor: interactor, view: interactor.takeView())
    }

    override func didLoad() async {
        interactor.journal.note("\(interactor.name) loads")
        await onLoad(self)
    }
}
