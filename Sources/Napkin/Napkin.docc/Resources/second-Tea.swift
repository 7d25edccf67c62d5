// Tea: what the feature's view shows, and what it tells.

public import NapkinCore

/// A child of Kettle.
public enum Tea: Feature {
    public static let id: FeatureID = "kettle.tea"
    public typealias Presenting = TeaPresentableCrossing
    public typealias Listening = TeaPresentableListenerCrossing

    /// What the view is told once, when it is mounted.
    @Message
    public struct Arguments: Hashable {
        public var cups: Int
    }
}

/// What the view shows.
@Crossing @MainActor
public protocol TeaPresentable: Presentable {
    /// Lumps of sugar in each cup.
    func present(sugar: Int) async
}

/// What the view tells the interactor.
@Crossing
public protocol TeaPresentableListener: PresentableListener {
    func didTapSugar() async
    func didTapBack() async
}
