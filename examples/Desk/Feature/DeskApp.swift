// DeskApp: the app as a worker hosts it.

import DeskContract
public import NapkinCore

/// Programs that go on, with nobody there or with many.
public enum DeskApp: App {
    public static let id = "desk"
    public static let features: [any Feature.Type] = [Desk.self, RunList.self, RunPage.self]
    public static let sessions: [SessionStart] = [.atStart("desk")]
    public static let settings: [any SettingDeclaration] = [notifier, outputBytes, days]
    public static let durableStates: [any DurableState.Type] = [
        DeskInteractor.State.self, RunListInteractor.State.self,
    ]

    public static let deepLinks = [
        DeepLinkRoute(
            "desk://run/{id}", "opens a run on each page; ?front=2 on that of front 2",
            on: DeskInteractor.self
        ) { link in
            guard let id = link.parameters["id"].flatMap({ Int($0) }) else {
                throw DeepLinkError(.unknown, "a run has a number: desk://run/3")
            }
            let front = link["front"].flatMap { UInt64($0) }
            return Workflow()
                .onStep("open run \(id)") { desk in (try await desk.open(id, for: front), ()) }
                .commit()
        }
    ]

    /// The program that is told what has happened while nobody is there; none by default.
    static let notifier = Setting("notifier", default: "")
    /// Bytes of a run's output that are kept, and the days after which a run that has ended is
    /// forgotten with its output.
    static let outputBytes = Setting("output-bytes", default: 1 << 20)
    static let days = Setting("days", default: 30)

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Desk>()
        let interactor = DeskInteractor(presenter: view.presenter, session: session)
        let router = DeskRouter(interactor: interactor, view: view)
        await interactor.wire(router: router)
        return router
    }
}
