// TranscriptionApp: the app as a worker hosts it.

public import NapkinCore
import TranscriptionContract

/// A recorder for each session.
public enum TranscriptionApp: App {
    public static let id = "transcription"
    public static let features: [any Feature.Type] = [Transcription.self]
    public static let durableStates: [any DurableState.Type] = [
        TranscriptionInteractor.State.self, StreamInteractor.State.self,
    ]
    public static let isolatedChildren: [any IsolatedBuilder.Type] = [StreamBuilder.self]
    /// The path of the transcript with which sessions begin; none by default.
    static let transcript = Setting("transcript", default: "")
    public static let settings: [any SettingDeclaration] = [transcript]

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let path = session.configuration[transcript]
        return await makeRoot(clock: session.clock, source: path.isEmpty ? nil : path)
    }

    @MainActor
    static func makeRoot(clock: AnyClock, source: String?) async -> any LaunchRouting {
        let view = RemoteView<Transcription>()
        let interactor = TranscriptionInteractor(
            presenter: view.presenter, clock: clock, source: source)
        let router = TranscriptionRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }
}
