// CharacterDetailInteractor: loads a card, and then its portrait.
//
// Invariant  card and portrait come only from the newest load.

import CharactersContract
import CharactersNetworking
import NapkinCore

/// What the card tells its parent.
protocol CharacterDetailListener: AnyObject, Sendable {
    func characterDetailDidFinish() async
}

/// One character. Its loads are bound to it: when it is detached, they are cancelled.
final actor CharacterDetailInteractor: PresentableInteractable, Reloading {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any CharacterDetailPresentable
    private let id: String
    private let policy: CachePolicy
    private let characters: Characters
    nonisolated let clock: AnyClock
    private weak var listener: (any CharacterDetailListener)?
    private var model = CharacterDetailModel()
    private var portrait = PortraitModel()
    var loads = Loads()

    init(
        presenter: any CharacterDetailPresentable, listener: any CharacterDetailListener,
        id: String, policy: CachePolicy, characters: Characters, clock: AnyClock
    ) {
        self.presenter = presenter
        self.listener = listener
        self.id = id
        self.policy = policy
        self.characters = characters
        self.clock = clock
    }

    func didBecomeActive() async {
        task(name: "card") { await self.load(self.policy.read) }
    }

    // MARK: - Loading

    /// A problem stays on the screen while only the clock asks again.
    private func load(_ policy: ReadPolicy, isRetry: Bool = false) async {
        guard case .repository(let repository) = characters else { return }
        let number = loads.begin(isRetry: isRetry)
        model.isLoading = true
        if !isRetry { model.problem = nil }
        await show()
        do throws(LoadError) {
            var loaded = try await repository.profile(id, policy)
            guard loads.isNewest(number) else { return }
            if loaded.isStale, loaded.failure == nil {
                take(loaded)
                await show()
                loaded = try await repository.profile(id, .remoteFirst)
                guard loads.isNewest(number) else { return }
            }
            take(loaded)
            await finish(loaded.failure, number)
            guard loads.isNewest(number) else { return }
            await loadPortrait(repository, loaded.value.portrait, policy, number)
        } catch {
            guard loads.isNewest(number) else { return }
            await finish(error, number)
        }
    }

    private func take(_ loaded: Loaded<CharacterProfile>) {
        model.card = CharacterCard(loaded.value)
        model.staleSeconds = loaded.staleSeconds
    }

    private func loadPortrait(
        _ repository: any CharacterRepository, _ path: String, _ policy: ReadPolicy,
        _ number: Int
    ) async {
        portrait.isLoading = true
        portrait.problem = nil
        await presenter.present(portrait: portrait)
        do throws(LoadError) {
            let image = try await repository.image(path, policy)
            guard loads.isNewest(number) else { return }
            portrait = PortraitModel(
                portrait: Portrait(image.bytes),
                origin: image.origin == .disk ? .disk : .server,
                notKept: image.notKept?.description)
            if model.problem == nil { loads.succeeded() }
        } catch {
            guard loads.isNewest(number) else { return }
            portrait.isLoading = false
            if error == .cancelled { return }
            portrait.problem = Problem(error)
            // The card says what is wrong with the server, and asks again.
            if model.problem == nil { reloadLater(error, number) }
        }
        await presenter.present(portrait: portrait)
    }

    private func finish(_ error: LoadError?, _ number: Int) async {
        model.isLoading = false
        if error == .cancelled { return }
        model.problem = error.map { Problem($0) }
        await show()
        if let error { reloadLater(error, number) }
    }

    func reload(_ number: Int) async {
        guard loads.isNewest(number), !model.isLoading, !portrait.isLoading else { return }
        await load(policy.refresh, isRetry: true)
    }

    private func show() async { await presenter.present(detail: model) }
}

extension CharacterDetailInteractor: CharacterDetailPresentableListener {
    func didTapBack() async { await listener?.characterDetailDidFinish() }

    func didTapRefresh() async { await load(policy.refresh) }
}
