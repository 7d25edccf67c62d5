// StationContract: a station that calls trains on every page.

public import NapkinCore

/// The root: the hall.
public enum Station: Feature {
    public static let id: FeatureID = "station.hall"
    public typealias Presenting = StationPresentableCrossing
    public typealias Listening = StationPresentableListenerCrossing
}

@Crossing @MainActor
public protocol StationPresentable: Presentable {
    /// Says something once to those who are here now.
    @Effect func call(_ train: String) async
}

@Crossing
public protocol StationPresentableListener: PresentableListener {
    func didTapPlatform() async
}

/// A page above the hall.
public enum Platform: Feature {
    public static let id: FeatureID = "station.platform"
    public typealias Listening = PlatformPresentableListenerCrossing
}

@Crossing
public protocol PlatformPresentableListener: PresentableListener {
    func didTapWhistle() async
}
