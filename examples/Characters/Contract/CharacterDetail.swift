// CharacterDetail: one character, pushed on the list: a card, and a portrait that comes later.

public import NapkinCore

/// The card.
public enum CharacterDetail: Feature {
    public static let id: FeatureID = "characters.detail"
    public typealias Presenting = CharacterDetailPresentableCrossing
    public typealias Listening = CharacterDetailPresentableListenerCrossing

    @Message
    public struct Arguments {
        public var id: String
        /// The name from the list, so that there is a title before the card is loaded.
        public var name: String
    }
}

/// The card of a character.
@Message
public struct CharacterCard: Hashable, Identifiable {
    public var id: String
    public var name: String
    public var role: String
    public var home: String
    public var motto: String
    public var story: String
    public var dishes: [String]
}

/// The card as far as it has been loaded.
@Message
public struct CharacterDetailModel: Hashable {
    public var card: CharacterCard?
    public var isLoading: Bool = false
    /// See `CharacterListModel`.
    public var staleSeconds: Int64?
    public var problem: Problem?
}

/// Grey pixels, row by row from the top: 0 is black, 255 white.
@Message
public struct Portrait: Hashable {
    public var width: Int32
    public var height: Int32
    public var pixels: [UInt8]
}

/// The source of a portrait.
@Message
public enum PortraitOrigin: String {
    case server
    case disk
}

/// The portrait as far as it has been loaded.
@Message
public struct PortraitModel: Hashable {
    public var portrait: Portrait?
    public var origin: PortraitOrigin?
    public var isLoading: Bool = false
    public var problem: Problem?
    /// Why it is not in the disk's cache, where it should be.
    public var notKept: String?
}

/// What the card's view shows.
@Crossing @MainActor
public protocol CharacterDetailPresentable: Presentable {
    func present(detail: CharacterDetailModel) async
    /// A separate state from the card, because it comes later and changes independently.
    func present(portrait: PortraitModel) async
}

/// What the card's view tells its interactor.
@Crossing
public protocol CharacterDetailPresentableListener: PresentableListener {
    func didTapBack() async
    /// Asks the server again, for card and portrait. Returns when it has answered, or failed to.
    func didTapRefresh() async
}
