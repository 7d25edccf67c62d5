// StandInteractor: opens pages, moves the clock, runs scenarios.

import NapkinCore
import NapkinTesting
import Synchronization

/// Where one can go from the stand.
@MainActor
protocol StandRouting: LaunchRouting {
    func open(_ name: String, at side: Side) async
    func close(_ side: Side) async
    func swap(_ name: String, at side: Side) async
    /// The page of that side.
    func name(at side: Side) -> String?
    func run(_ scenario: String) async throws -> [String]
    /// The page at the left, when fronts have been told of it.
    var page: StateCell<PageInteractor?> { get }
}

final actor StandInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any StandPresentable
    private let desk: Desk
    private weak var router: (any StandRouting)?
    private var time = 0

    init(presenter: any StandPresentable, desk: Desk) {
        self.presenter = presenter
        self.desk = desk
    }

    func wire(router: any StandRouting) { self.router = router }
}

extension StandInteractor: StandPresentableListener {
    func run(_ scenario: String) async throws -> [String] {
        try await router?.run(scenario) ?? []
    }

    func open(_ name: String, at side: Side) async { await router?.open(name, at: side) }
    func close(_ side: Side) async { await router?.close(side) }
    func swap(_ name: String, at side: Side) async { await router?.swap(name, at: side) }

    func tick() async {
        let pages = desk.pages.withLock { $0 }
        await desk.clock.waitForSleepers(pages)
        desk.clock.advance(by: .seconds(1))
        // Whoever has presented sleeps again.
        await desk.clock.waitForSleepers(pages)
        time += 1
        await presenter.present(time: time)
    }

    func sync() async {}

    func notes() async throws -> [String] { desk.journal.take() }

    func noted(_ line: String) async { await desk.journal.wait(for: line) }

    func heard(_ line: String) async { await Desk.street.wait(for: line) }
}

extension StandInteractor: StandActionable {
    func waitForPage() async throws -> PageInteractor {
        if let pages = await router?.page.values {
            for await page in pages {
                if let page { return page }
            }
        }
        try Task.checkCancellation()
        throw WorkflowError.nodeIsGone(step: "wait for a page")
    }
}

extension StandInteractor: PageProcessListener {
    func pageDidNote(_ line: String) async { desk.note(line) }

    func pageWantsCaller() async throws -> Int { await pageDidAskWho() }
}

extension StandInteractor: PageListener {
    func pageDidAskWho() async -> Int { Int(AttachedFront.caller?.id ?? 0) }

    func pageDidClose(_ name: String) async {
        for side in Side.allCases where await router?.name(at: side) == name {
            await router?.close(side)
        }
    }

    func pageDidBounce(_ page: PageInteractor, times: Int) async throws -> Int {
        try await page.bounce(times: times - 1)
    }
}
