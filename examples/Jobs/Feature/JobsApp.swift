// JobsApp: the app as a worker hosts it.

import JobsContract
public import NapkinCore

/// Queues of shell commands, with nobody there or with many.
public enum JobsApp: App {
    public static let id = "jobs"
    public static let features: [any Feature.Type] = [Jobs.self, JobList.self, JobDetail.self]
    public static let sessions: [SessionStart] = [.atStart("jobs")]
    public static let settings: [any SettingDeclaration] = [dropFolder, notifier]

    public static let deepLinks = [
        DeepLinkRoute(
            "jobs://job/{id}", "opens a job on each page; ?front=2 on that of front 2",
            on: JobsInteractor.self
        ) { link in
            guard let id = link.parameters["id"].flatMap({ Int($0) }) else {
                throw DeepLinkError(.unknown, "a job has a number: jobs://job/3")
            }
            let front = link["front"].flatMap { UInt64($0) }
            return Workflow()
                .onStep("open job \(id)") { jobs in (try await jobs.open(id, for: front), ()) }
                .commit()
        }
    ]

    /// Where `.job` files are taken from; by default `SESSION.drop` in the app's data directory.
    static let dropFolder = Setting("drop", default: "")
    /// The program that is told what has happened while nobody is there; none by default.
    static let notifier = Setting("notifier", default: "")

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Jobs>()
        let interactor = JobsInteractor(presenter: view.presenter, session: session)
        let router = JobsRouter(interactor: interactor, view: view, session: session)
        await interactor.wire(router: router)
        return router
    }
}
