// LedgerWorker: hosts apps whose sessions survive their worker.

import NapkinCore
import NapkinWorker

enum TallyApp: App {
    static let id = "tally"
    static let features: [any Feature.Type] = [Tally.self, Slip.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Tally>()
        let interactor = TallyInteractor(presenter: view.presenter)
        let router = TallyRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }
}

/// The same, with nothing synced.
enum QuickTallyApp: App {
    static let id = "quick-tally"
    static let features = TallyApp.features
    static let durability = Durability.process

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await TallyApp.makeRoot(session)
    }
}

@main
enum LedgerWorker {
    static func main() {
        WorkerProgram.main(
            TallyApp.self, QuickTallyApp.self, AgendaApp.self, KilnApp.self,
            DiaryVersion.newest)
    }
}
