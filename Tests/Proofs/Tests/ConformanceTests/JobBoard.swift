// JobBoard: jobs that are everybody's, and a choice of one that is each front's own.

package import NapkinCore

/// What everybody shares.
package enum Board: Feature {
    package static let id: FeatureID = "board.board"
    package typealias Presenting = BoardPresentableCrossing
    package typealias Listening = BoardPresentableListenerCrossing
}

@Crossing @MainActor
package protocol BoardPresentable: Presentable {
    func present(jobs: [String]) async
    /// How many fronts are there.
    func present(people: Int) async
    @Effect func didDelete(_ job: String) async
    func confirm(_ question: String) async throws -> Bool
}

@Crossing
package protocol BoardPresentableListener: PresentableListener {
    func didTapDelete(_ job: String) async throws
}

/// A front's own page: the job that it looks at.
package enum Browser: Feature {
    package static let id: FeatureID = "board.browser"
    package typealias Presenting = BrowserPresentableCrossing
    package typealias Listening = BrowserPresentableListenerCrossing
}

@Crossing @MainActor
package protocol BrowserPresentable: Presentable {
    func presentSelected(_ job: String) async
}

@Crossing
package protocol BrowserPresentableListener: PresentableListener {
    func didSelect(_ job: String) async
    func didTapDelete(_ job: String) async throws
}

final actor BoardInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BoardPresentable
    private let jobs: StateCell<[String]>
    private let session: SessionContext

    init(
        presenter: any BoardPresentable, jobs: StateCell<[String]>, session: SessionContext
    ) {
        self.presenter = presenter
        self.jobs = jobs
        self.session = session
    }

    func didBecomeActive() async {
        task { for await jobs in self.jobs.values { await self.presenter.present(jobs: jobs) } }
        task {
            for await fronts in self.session.fronts {
                await self.presenter.present(people: fronts.count)
            }
        }
    }
}

extension BoardInteractor: BoardPresentableListener {
    func didTapDelete(_ job: String) async throws {
        let isSure = try await ask(.caller) { try await presenter.confirm("Delete \(job)?") }
        guard isSure else { return }
        jobs.update { $0.removeAll { $0 == job } }
        await present(to: .caller) { await presenter.didDelete(job) }
    }
}

final actor BrowserInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BrowserPresentable
    private let jobs: StateCell<[String]>

    init(presenter: any BrowserPresentable, jobs: StateCell<[String]>) {
        self.presenter = presenter
        self.jobs = jobs
    }
}

extension BrowserInteractor: BrowserPresentableListener {
    func didSelect(_ job: String) async { await presenter.presentSelected(job) }

    func didTapDelete(_ job: String) async throws {
        guard AttachedFront.caller?.isReadOnly == false else {
            throw RemoteFault(.refused, "this front is read-only")
        }
        jobs.update { $0.removeAll { $0 == job } }
    }
}
