// RunListInteractor: one front's list, with the filter and the open run of the person there.

import DeskContract
import NapkinCore

/// The routes from a list.
@MainActor
protocol RunListRouting: ViewableRouting {
    /// Shows a run in place of another one.
    func routeToRun(_ id: Int) async
    func routeFromRun() async
}

@Durable
final actor RunListInteractor: PresentableInteractable {
    @Message
    struct State: DurableState, Equatable {
        var filter: RunFilter = RunFilter()
        /// The run that is open on it.
        var run: Int?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any RunListPresentable
    private let desk: DeskInteractor
    private let front: AttachedFront
    var state: State
    /// The run to open at first.
    @Volatile private var left: Int?
    @Volatile private weak var router: (any RunListRouting)?

    init(
        presenter: any RunListPresentable, desk: DeskInteractor, front: AttachedFront, list: State
    ) {
        self.presenter = presenter
        self.desk = desk
        self.front = front
        state = list
        left = list.run
    }

    func wire(router: any RunListRouting) { self.router = router }

    /// A page that comes back has its run by itself.
    func didRestore() { left = nil }

    func didBecomeActive() async {
        await presenter.present(filter: state.filter)
        task {
            for await runs in self.desk.current.values {
                await self.presenter.present(runs: self.state.filter.runs(among: runs))
            }
        }
        if let left { await router?.routeToRun(left) }
    }

    /// Keeps the list for the next front of the same person.
    private func keep() async { await desk.keep(state, of: front) }
}

extension RunListInteractor: RunListPresentableListener, RunPageListener {
    func didFilter(_ filter: RunFilter) async {
        state.filter = filter
        await keep()
        await presenter.present(filter: filter)
        await presenter.present(runs: filter.runs(among: desk.current.value))
    }

    func didSelect(_ id: Int) async {
        state.run = id
        await keep()
        await router?.routeToRun(id)
    }

    func runPageDidFinish() async {
        state.run = nil
        await keep()
        await router?.routeFromRun()
    }
}

extension RunFilter {
    /// Returns the runs that it lets through: those that run first, then the newest.
    func runs(among runs: [Run]) -> [Run] {
        let words = words.lowercased().split(separator: " ")
        let found = runs.reversed().filter { run in
            switch shows {
            case .all: break
            case .active: guard run.isActive else { return false }
            case .waiting: guard run.state == .waiting else { return false }
            case .failed: guard [.failed, .lost].contains(run.state) else { return false }
            }
            let order = run.order
            let parts = [order.name, order.queue, order.group, order.command, run.last]
            let text = parts.compactMap(\.self).joined(separator: "\n").lowercased()
            return words.allSatisfy { text.contains($0) }
        }
        return found.filter(\.isActive) + found.filter { !$0.isActive }
    }
}
