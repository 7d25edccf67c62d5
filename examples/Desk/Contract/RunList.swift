// RunList: a person's own page, with the runs that they want to see, from which one is opened.

public import NapkinCore

/// Each front has one.
public enum RunList: Feature {
    public static let id: FeatureID = "desk.list"
    public typealias Presenting = RunListPresentableCrossing
    public typealias Listening = RunListPresentableListenerCrossing
}

/// Which runs a list shows.
@Message
public struct RunFilter: Hashable {
    public var words: String = ""
    public var shows: Kind = .all

    @Message
    public enum Kind: String, CaseIterable {
        case all
        case active
        case waiting
        case failed
    }
}

/// What a search has found.
@Message
public struct Found: Hashable {
    public var matches: [Match] = []
    /// What has not been searched; `nil` if all was.
    public var rest: String?

    /// A line, or a part of it, in which there are all words.
    @Message
    public struct Match: Hashable {
        public var run: Int
        public var line: String
    }
}

/// What the list shows.
@Crossing @MainActor
public protocol RunListPresentable: Presentable {
    /// The runs that run first, then the newest.
    func present(runs: [Run]) async
    func present(filter: RunFilter) async
}

/// What the list's view tells its interactor.
@Crossing
public protocol RunListPresentableListener: PresentableListener {
    func didFilter(_ filter: RunFilter) async
    /// Opens a run on this front's page, in place of another one.
    func didSelect(_ id: Int) async
}
