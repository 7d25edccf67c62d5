// RunPage: one run and its terminal, on the page of the person who has opened it.

public import NapkinCore

/// Pushed above a list.
public enum RunPage: Feature {
    public static let id: FeatureID = "desk.run"
    public typealias Presenting = RunPagePresentableCrossing
    public typealias Listening = RunPagePresentableListenerCrossing

    @Message
    public struct Arguments: Hashable {
        public var id: Int
    }
}

/// What the page shows.
@Crossing @MainActor
public protocol RunPagePresentable: Presentable {
    func present(run: Run) async
    /// Its terminal; the last one if it has ended.
    func present(screen: ConsoleScreen) async
    /// A line of a run on pipes.
    @Append func output(_ line: String) async
}

/// What the page's view tells its interactor; see `DeskPresentableListener`.
@Crossing
public protocol RunPagePresentableListener: PresentableListener {
    func didAct(_ verb: Verb) async throws(DeskError)
    /// Does something in its terminal.
    func didInput(_ input: ConsoleInput) async throws(DeskError)
    /// Types a line into a run on pipes.
    func didType(_ line: String) async throws(DeskError)
    func didTapBack() async
}
