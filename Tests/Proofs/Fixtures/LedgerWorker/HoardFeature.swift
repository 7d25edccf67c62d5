// HoardFeature: the durable child of the kiln.

import Glibc
import NapkinCore

enum HoardBuilder: IsolatedBuilder {
    typealias Listener = HoardListenerCrossing

    static func build(
        view: RemoteView<Hoard>, listener: any HoardListener
    ) async -> any HoardPresentableListener {
        HoardInteractor(presenter: view.presenter, listener: listener)
    }

    static func initialState(_ arguments: NoArguments) -> HoardInteractor.State { .init(coins: 1) }
}

@Durable
final actor HoardInteractor: PresentableInteractable, SchedulingInteractable {
    @Message struct State: DurableState {
        var coins: Int64 = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any HoardPresentable
    @Volatile private weak var listener: (any HoardListener)?
    @Volatile private var origin = "new"
    var state = State()

    init(presenter: any HoardPresentable, listener: any HoardListener) {
        (self.presenter, self.listener) = (presenter, listener)
    }

    func didRestore() async { origin = "restored" }

    func didRestore(interrupted: [InterruptedEvent]) async {
        origin = "restored after \(interrupted.map(\.method).joined(separator: ", "))"
    }

    func didBecomeActive() async {
        await presenter.present(origin: "\(getpid()) \(origin)")
        await presenter.present(coins: state.coins)
    }

    private func add(_ coins: Int64) async {
        state.coins += coins
        await presenter.entry("\(state.coins)")
        await presenter.present(coins: state.coins)
    }
}

extension HoardInteractor: HoardPresentableListener {
    func put(_ coins: Int64) async throws -> Int64 {
        await add(coins)
        try await listener?.hoardGot(coins)
        return state.coins
    }

    func spoil(_ coins: Int64) async throws {
        await add(coins)
        throw RemoteFault(.failed, "spoiled")
    }

    func hold(_ coins: Int64) async throws {
        await add(coins)
        try await listener?.hoardGot(coins)
        try await listener?.hoardWaits()
    }

    func burst(_ coins: Int64) async throws {
        await add(coins)
        fatalError("burst on purpose")
    }

    func schedule() async throws { try schedule("never", after: .seconds(1), 0) }

    func timerFired(_ name: String, _ payload: Int) async throws {}
}
