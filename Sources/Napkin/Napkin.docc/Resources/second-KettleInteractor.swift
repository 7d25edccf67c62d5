// KettleInteractor: heats, and whistles when it boils.
//
// Layer      feature.
// Isolation  actor (loop executor).
// Invariant  only the newest heating presents: one that has been switched off comes to nothing.

import KettleContract
import NapkinCore

/// Why the kettle refuses.
enum KettleError: Error, CustomStringConvertible {
    case isEmpty
    case isTooMuch(cups: Int)

    var description: String {
        switch self {
        case .isEmpty: "there is no water in the kettle: fill it first"
        case .isTooMuch(let cups): "\(cups) more cups do not fit: it takes \(Self.cupsMax) in all"
        }
    }

    static let cupsMax = 4
}

final actor KettleInteractor: PresentableInteractable {
    static let step = Duration.milliseconds(250)

    private weak var router: (any KettleRouting)?
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any KettlePresentable
    private let clock: AnyClock
    private var cups = 0
    private var degrees = 20
    private var heating: Task<Void, Never>?

    init(presenter: any KettlePresentable, clock: AnyClock) {
        self.presenter = presenter
        self.clock = clock
    }

    func didBecomeActive() async {
        await presenter.present(isOn: false)
        await presenter.present(degrees: degrees)
    }

    private func heat() async {
        while degrees < 100 {
            do {
                try await clock.sleep(for: Self.step)
            } catch {
                // Switched off, or the kettle is gone.
                return
            }
            // It may have been switched off between the end of the sleep and now.
            guard !Task.isCancelled else { return }
            degrees += 10
            await presenter.present(degrees: degrees)
        }
        heating = nil
        await presenter.present(isOn: false)
        await presenter.whistle()
    }

    func wire(router: any KettleRouting) {
        self.router = router
    }
}

extension KettleInteractor: KettlePresentableListener {
    func didTapSwitch() async throws {
        if let heating {
            heating.cancel()
            self.heating = nil
            return await presenter.present(isOn: false)
        }
        guard cups > 0 else { throw KettleError.isEmpty }
        heating = task { await self.heat() }
        await presenter.present(isOn: true)
    }

    func fill(cups more: Int) async throws {
        guard more > 0, cups + more <= KettleError.cupsMax else {
            throw KettleError.isTooMuch(cups: more)
        }
        cups += more
        degrees = 20
        await presenter.present(degrees: degrees)
    }
    func didTapTea() async throws {
        guard cups > 0 else { throw KettleError.isEmpty }
        await router?.routeToTea(cups: cups)
    }
}

extension KettleInteractor: TeaListener {
    func teaDidFinish(poured: Int) async {
        cups -= poured
        await router?.routeFromTea()
    }
}
