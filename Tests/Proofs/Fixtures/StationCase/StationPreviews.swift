// StationPreviews: the hall and the platform, to be looked at without a session.

public import NapkinElements

public enum StationPreviews {
    /// - Parameters:
    ///   - train: what is called in the hall.
    ///   - hasPlatform: whether the platform is among them.
    @MainActor @PreviewBuilder
    public static func all(train: String, hasPlatform: Bool = true) -> [Preview] {
        Preview("Hall") { StationScreen(model: StationModel(listener: Nobody())) }
        Preview("A train") { StationScreen(model: called(train)) }
        if hasPlatform { Preview("Platform") { PlatformScreen(listener: Nobody()) } }
    }

    @MainActor
    private static func called(_ train: String) -> StationModel {
        let model = StationModel(listener: Nobody())
        model.train = train
        return model
    }
}

/// Whom a preview tells what is tapped.
private actor Nobody: StationPresentableListener, PlatformPresentableListener {
    func didTapPlatform() async {}
    func didTapWhistle() async {}
}
