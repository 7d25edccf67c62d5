// C9Variable: a stored variable of a durable interactor that a restart would lose by oversight.

public import NapkinCore

@Message
public struct Basket: Equatable {
    public var items: [String] = []
}

@Crossing
public protocol CartPresentable: Presentable {
    func present(basket: Basket) async
}

@Durable
public final actor CartInteractor: PresentableInteractable {
    @Message
    public struct State: DurableState {
        public var basket: Basket = Basket()
    }

    public var state = State()
    // expected-error@+1: 'isAsking' is not in 'state', so a restart loses it
    private var isAsking = false
    @Volatile private weak var board: CartInteractor?
    @Volatile lazy var cache: [String] = []
    @Volatile var first = 1, second = 2
    public nonisolated let lifecycle = InteractorLifecycle()
    public nonisolated let presenter: any CartPresentable

    public init(basket: Basket, presenter: any CartPresentable) {
        self.presenter = presenter
        state.basket = basket
    }

    func add(_ item: String) async throws {
        state.basket.items.append(item)
        await presenter.present(basket: state.basket)
    }

    public func didRestore(interrupted: [InterruptedEvent]) async {
        isAsking = interrupted.contains { $0.method == "add(_:)" }
    }
}
