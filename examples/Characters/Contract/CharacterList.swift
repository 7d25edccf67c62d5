// CharacterList: the root of the app: the people around the smokehouse, page by page.

public import NapkinCore

/// The list.
public enum CharacterList: Feature {
    public static let id: FeatureID = "characters.list"
    public typealias Presenting = CharacterListPresentableCrossing
    public typealias Listening = CharacterListPresentableListenerCrossing
}

/// One line of the list.
@Message
public struct CharacterRow: Hashable, Identifiable {
    public var id: String
    public var name: String
    public var role: String
}

/// Everything that the list's screen shows: no front ever has the rows of one moment and the notice
/// of another.
@Message
public struct CharacterListModel: Hashable {
    public var rows: [CharacterRow] = []
    /// How many characters the server has; 0 until that is known.
    public var total: Int32 = 0
    /// Whether there is a page after the last row.
    public var hasMore: Bool = false
    public var policy: CachePolicy = .localFirst
    public var isLoading: Bool = false
    /// The age of the rows in whole seconds, if they are from the cache and too old to count as
    /// current.
    public var staleSeconds: Int64?
    /// Why the newest request has failed.
    public var problem: Problem?
}

/// What the list's view shows.
@Crossing @MainActor
public protocol CharacterListPresentable: Presentable {
    func present(list: CharacterListModel) async
    /// The characters that have been marked, in that order. A state apart from the list: it is
    /// there before anything has been loaded, and if nothing can be.
    func present(favourites: [CharacterRow]) async
}

/// What the list's view tells its interactor.
@Crossing
public protocol CharacterListPresentableListener: PresentableListener {
    /// Asks the server again, whatever the cache has. Returns when it has answered, or failed to.
    func didTapRefresh() async
    /// Asks for the page after the last row; does nothing while one is loading.
    func didTapMore() async
    /// Opens a character, instead of an open one. Returns before it has been loaded.
    func didSelect(_ id: String) async
    /// Marks a character as a favourite, or no longer. Throws if too many are marked.
    func didTapFavourite(_ id: String) async throws
    /// Uses another policy from now on, and reads the list again.
    func didChoose(policy: CachePolicy) async
}
