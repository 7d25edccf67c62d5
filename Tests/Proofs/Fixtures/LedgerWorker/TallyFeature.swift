// TallyFeature: the tally's interactors and routers.

import NapkinCore

@Durable
final actor TallyInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var sum: Int64 = 0
        var times: Int64 = 0
        var interrupted: [String] = []
        var entries: [String: Int64] = [:]
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TallyPresentable
    @Volatile weak var router: TallyRouter?
    var state = State()

    init(presenter: any TallyPresentable) { self.presenter = presenter }

    func wire(_ router: TallyRouter) { self.router = router }

    func didRestore() async { precondition(state.sum != 1313, "a sum that ends each restore") }

    func didRestore(interrupted: [InterruptedEvent]) async {
        state.interrupted += interrupted.map(\.method)
    }

    func didBecomeActive() async {
        await show()
        await presenter.present(interrupted: state.interrupted)
        switch state.sum {
        case 1414: task(name: "at once") { preconditionFailure("a task that ends at once") }
        case 1515:
            task(name: "later") {
                // It need not be cancelled to end.
                try? await Task.sleep(for: .milliseconds(20))
                preconditionFailure("a task that ends later")
            }
        default: break
        }
    }

    private func show() async {
        await presenter.present(sum: state.sum, times: state.times)
    }

    private func count(_ amount: Int64) async {
        state.sum += amount
        state.times += 1
        state.entries["\(state.times % 200)"] = amount
        await show()
    }
}

struct Spoilt: Error {}

extension TallyInteractor: TallyPresentableListener {
    func add(_ amount: Int64) async throws -> Int64 {
        await count(amount)
        return state.sum
    }

    func addTwice(_ amount: Int64, pausing milliseconds: Int32) async throws -> Int64 {
        await count(amount)
        try await Task.sleep(for: .milliseconds(milliseconds))
        await count(amount)
        return state.sum
    }

    func addLater(_ amount: Int64, pausing milliseconds: Int32) async throws -> Int64 {
        try await Task.sleep(for: .milliseconds(milliseconds))
        await count(amount)
        return state.sum
    }

    func addAsking(_ amount: Int64, isSpoilt: Bool) async throws -> Int64 {
        if try await presenter.confirm(amount) { await count(amount) }
        if isSpoilt { throw Spoilt() }
        return state.sum
    }

    func read() async throws -> Int64 { state.sum }

    func lay(slip: String?) async {
        if let slip { await router?.lay(slip) } else { await router?.clear() }
    }

    func fill(_ entries: Int32) async {
        for number in 0..<entries { state.entries["\(number)"] = 0 }
    }
}

final class TallyRouter: LaunchRouter<TallyInteractor, Tally> {
    private let slip = ChildRoute<TallyRouter, Slip>("slip") { router, view in
        SlipInteractor(presenter: view.presenter, listener: router.interactor)
    }

    func lay(_ text: String) async { await attach(slip, arguments: SlipArguments(text: text)) }

    func clear() async { await detach(slip) }
}

@Durable
final actor SlipInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var stamps: Int32 = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any SlipPresentable
    @Volatile private weak var listener: TallyInteractor?
    var state = State()

    init(presenter: any SlipPresentable, listener: TallyInteractor) {
        self.presenter = presenter
        self.listener = listener
    }

    func didBecomeActive() async { await presenter.present(stamps: state.stamps) }
}

extension SlipInteractor: SlipPresentableListener {
    func stamp() async {
        state.stamps += 1
        await presenter.present(stamps: state.stamps)
    }

    func tear() async {
        await stamp()
        await listener?.lay(slip: nil)
    }
}
