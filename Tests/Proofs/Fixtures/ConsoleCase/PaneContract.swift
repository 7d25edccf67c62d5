// PaneContract: a shell in a terminal that everybody of a session shares.

public import NapkinCore

public enum Pane: Feature {
    public static let id: FeatureID = "pane.root"
    public typealias Presenting = PanePresentableCrossing
    public typealias Listening = PanePresentableListenerCrossing
}

@Crossing @MainActor
public protocol PanePresentable: Presentable {
    func present(screen: ConsoleScreen) async
}

@Crossing
public protocol PanePresentableListener: PresentableListener {
    func didType(_ input: ConsoleInput) async
}
