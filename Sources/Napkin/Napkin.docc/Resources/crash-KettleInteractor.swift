// KettleInteractor: heats, and whistles when it boils.
//
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

@Durable
final actor KettleInteractor: PresentableInteractable {
    /// What comes back when the worker has died: the water, but not the heating.
    @Message
    struct State: DurableState {
        var cups: Int = 0
        var degrees: Int = 20
    }

    static let step = Duration.milliseconds(250)

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any KettlePresentable
    @Volatile private weak var router: (any KettleRouting)?
    private let clock: AnyClock
    var state = State()
    @Volatile private var heating: Task<Void, Never>?

    init(presenter: any KettlePresentable, clock: AnyClock) {
        self.presenter = presenter
        self.clock = clock
    }

    func wire(router: any KettleRouting) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(isOn: false)
        await presenter.present(degrees: state.degrees)
    }

    private func heat() async {
        while state.degrees < 100 {
            do {
                try await clock.sleep(for: Self.step)
            } catch {
                // Switched off, or the kettle is gone.
                return
            }
            // It may have been switched off between the end of the sleep and now.
            guard !Task.isCancelled else { return }
            state.degrees += 10
            await presenter.present(degrees: state.degrees)
        }
        heating = nil
        await presenter.present(isOn: false)
        await presenter.whistle()
    }
}

extension KettleInteractor: KettlePresentableListener {
    func didTapSwitch() async throws {
        if let heating {
            heating.cancel()
            self.heating = nil
            return await presenter.present(isOn: false)
        }
        guard state.cups > 0 else { throw KettleError.isEmpty }
        heating = task { await self.heat() }
        await presenter.present(isOn: true)
    }

    func fill(cups more: Int) async throws {
        guard more > 0, more <= KettleError.cupsMax - state.cups else {
            throw KettleError.isTooMuch(cups: more)
        }
        state.cups += more
        state.degrees = 20
        await presenter.present(degrees: state.degrees)
    }
    func didTapTea() async throws {
        guard state.cups > 0 else { throw KettleError.isEmpty }
        await router?.routeToTea(cups: state.cups)
    }
}

extension KettleInteractor: TeaListener {
    func teaDidFinish(poured: Int) async {
        state.cups -= poured
        await router?.routeFromTea()
    }
}
// napkin: Kettle as a listener
