// PitBoard: everything on the fire, stage by stage, and today's specials.

public import NapkinCore

/// Pushed on the guest's stack.
public enum PitBoard: Feature {
    public static let id: FeatureID = "rib-house.pit-board"
    public typealias Presenting = PitBoardPresentableCrossing
    public typealias Listening = PitBoardPresentableListenerCrossing
}

/// What the board shows.
@Crossing @MainActor
public protocol PitBoardPresentable: Presentable {
    /// Presents the sections in the order of the stages; a stage without items is left out.
    func present(sections: [PitSection]) async
    func present(specials: [Special]) async
}

/// What the board's view tells its interactor.
@Crossing
public protocol PitBoardPresentableListener: PresentableListener {
    func didTapBack() async
}
