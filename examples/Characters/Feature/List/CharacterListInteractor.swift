// CharacterListInteractor: the list, page by page, from the source that the policy chooses.
//
// Isolation  actor (loop executor). It only awaits servers and disks: requests, decoding and files
//            run elsewhere.
// Invariant  rows come only from the newest load; a page that comes too late is dropped.

import CharactersContract
import CharactersNetworking
import NapkinCore

/// The routes from the list.
@MainActor
protocol CharacterListRouting: LaunchRouting {
    /// Replaces a character that is shown; does nothing if it is this one.
    func routeToDetail(of row: CharacterRow, _ policy: CachePolicy) async
    func routeFromDetail() async
}

/// More favourites than there may be.
struct TooManyFavourites: Error, CustomStringConvertible {
    var description: String {
        "there are \(CharacterListInteractor.favouritesMax) favourites already: unmark one first"
    }
}

/// The list of one session. What a person has chosen survives the worker; what a server has sent is
/// loaded again.
@Durable
final actor CharacterListInteractor: PresentableInteractable, Reloading {
    /// Chosen: more than anybody looks through.
    static let favouritesMax = 100

    @Message
    struct State: DurableState {
        /// As they were listed when they were marked, so that they are shown without the server.
        var favourites: [CharacterRow] = []
        var policy: CachePolicy = .localFirst
        /// The character whose card is open.
        var opened: CharacterRow?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any CharacterListPresentable
    private let characters: Characters
    nonisolated let clock: AnyClock
    var state = State()
    @Volatile private weak var router: (any CharacterListRouting)?
    @Volatile private var model = CharacterListModel()
    @Volatile var loads = Loads()
    /// The page number of the last rows.
    @Volatile private var pageNumber = 0

    init(presenter: any CharacterListPresentable, characters: Characters, clock: AnyClock) {
        self.presenter = presenter
        self.characters = characters
        self.clock = clock
    }

    func wire(router: any CharacterListRouting) {
        self.router = router
    }

    func didRestore() async {
        model.policy = state.policy
        if let row = state.opened { await router?.routeToDetail(of: row, state.policy) }
    }

    func didBecomeActive() async {
        await presenter.present(favourites: state.favourites)
        task(name: "first page") { await self.load(self.model.policy.read) }
    }

    // MARK: - Loading

    /// Loads the first page; other loads under way no longer count. A problem stays on the screen
    /// while only the clock asks again.
    private func load(_ policy: ReadPolicy, isRetry: Bool = false) async {
        let number = loads.begin(isRetry: isRetry)
        guard case .repository(let repository) = characters else { return await refuse() }
        model.isLoading = true
        if !isRetry { model.problem = nil }
        await show()
        do throws(LoadError) {
            var loaded = try await repository.page(1, policy)
            guard loads.isNewest(number) else { return }
            if loaded.isStale, loaded.failure == nil {
                // Old data first; then the current data.
                take(loaded)
                await show()
                loaded = try await repository.page(1, .remoteFirst)
                guard loads.isNewest(number) else { return }
            }
            take(loaded)
            await finish(loaded.failure, number)
        } catch {
            guard loads.isNewest(number) else { return }
            await finish(error, number)
        }
    }

    private func take(_ loaded: Loaded<CharacterPage>) {
        model.rows = loaded.value.characters.map { CharacterRow($0) }
        model.staleSeconds = loaded.staleSeconds
        pageNumber = 1
        count(loaded.value)
    }

    private func count(_ page: CharacterPage) {
        model.total = Int32(page.total)
        model.hasMore = page.number < page.pageCount
    }

    private func loadMore() async {
        guard case .repository(let repository) = characters, !model.isLoading, model.hasMore
        else { return }
        // Not a new load: a refresh that comes meanwhile wins, and this page is dropped.
        let number = loads.newest
        model.isLoading = true
        model.problem = nil
        await show()
        do throws(LoadError) {
            let loaded = try await repository.page(pageNumber + 1, model.policy.read)
            guard loads.isNewest(number) else { return }
            // If the list has grown meanwhile, a character may come a second time.
            let known = Set(model.rows.map(\.id))
            model.rows += loaded.value.characters.filter { !known.contains($0.id) }
                .map { CharacterRow($0) }
            model.staleSeconds = [model.staleSeconds, loaded.staleSeconds].compactMap(\.self).max()
            pageNumber += 1
            count(loaded.value)
            await finish(loaded.failure, number)
        } catch {
            guard loads.isNewest(number) else { return }
            await finish(error, number)
        }
    }

    /// The load is over; a failed one is repeated after a while, unless another one came first.
    private func finish(_ error: LoadError?, _ number: Int) async {
        model.isLoading = false
        // The task that was waiting has gone: nobody is left to be told.
        if error == .cancelled { return }
        model.problem = error.map { Problem($0) }
        await show()
        guard let error else { return loads.succeeded() }
        reloadLater(error, number)
    }

    func reload(_ number: Int) async {
        guard loads.isNewest(number), !model.isLoading, model.problem != nil else { return }
        await load(model.policy.refresh, isRetry: true)
    }

    private func refuse() async {
        guard case .unusable(let reason) = characters else { return }
        model.problem = .settings(reason: reason)
        await show()
    }

    private func show() async { await presenter.present(list: model) }
}

extension CharacterListInteractor: CharacterListPresentableListener {
    func didTapRefresh() async { await load(model.policy.refresh) }

    func didTapMore() async { await loadMore() }

    func didSelect(_ id: String) async {
        // A character that is no longer in the list is loaded all the same: the server decides.
        let row = row(of: id) ?? CharacterRow(id: id, name: id, role: "")
        state.opened = row
        await router?.routeToDetail(of: row, model.policy)
    }

    func didTapFavourite(_ id: String) async throws {
        if let index = state.favourites.firstIndex(where: { $0.id == id }) {
            state.favourites.remove(at: index)
        } else if let row = row(of: id) {
            guard state.favourites.count < Self.favouritesMax else { throw TooManyFavourites() }
            state.favourites.append(row)
        }
        await presenter.present(favourites: state.favourites)
    }

    private func row(of id: String) -> CharacterRow? {
        model.rows.first { $0.id == id } ?? state.favourites.first { $0.id == id }
    }

    func didChoose(policy: CachePolicy) async {
        // The choice stays also if the worker dies while the list is being loaded; the next worker
        // loads it by this policy.
        state.policy = policy
        model.policy = policy
        await load(policy.read)
    }
}

extension CharacterListInteractor: CharacterDetailListener {
    func characterDetailDidFinish() async {
        state.opened = nil
        await router?.routeFromDetail()
    }
}
