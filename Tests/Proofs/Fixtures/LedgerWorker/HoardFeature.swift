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
        var ballast: [UInt8] = []
    }

    /// With so many, it adds ten if something was interrupted, and dies before it is active.
    static let fatal: Int64 = 767

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
        if state.coins == Self.fatal { state.coins += 10 }
        origin = "restored after \(interrupted.map(\.method).joined(separator: ", "))"
    }

    func didBecomeActive() async {
        // What it has made up for is kept first.
        await Task.yield()
        precondition(state.coins != Self.fatal + 10 || origin == "restored", "fatal on purpose")
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

    func grow(_ mebibytes: Int64) async throws {
        state.ballast = [UInt8](repeating: 7, count: Int(mebibytes) << 20)
        await add(1)
    }

    func leave(_ coins: Int64) async throws {
        try await listener?.hoardLeaves()
        await add(coins)
        try await listener?.hoardGot(coins)
    }

    func schedule() async throws { try schedule("never", after: .seconds(1), 0) }

    func timerFired(_ name: String, _ payload: Int) async throws {}
}
