// LedgerSetup: a durable feature that a test teaches, in a session with a journal.
//
// Isolation  actor (loop executor); the router and the store's owner are @MainActor.

package import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

@testable import NapkinRuntime

/// What the feature shows: a sum, a title, numbers.
@Crossing @MainActor
package protocol TotalPresentable: Presentable {
    func present(sum: Int) async
    func present(title: String) async
    @Append(items: 128) func note(_ number: Int) async
    @Provisional @Append(items: 128) func meter(_ number: Int) async
    func confirm(_ question: String) async throws -> Bool
}

/// What its view says.
@Crossing
package protocol TotalPresentableListener: PresentableListener {
    /// Does what the test has taught its interactor under that name.
    func act(_ name: String) async throws -> Int
}

package enum Total: Feature {
    package static let id: FeatureID = "shelf"
    package typealias Presenting = TotalPresentableCrossing
    package typealias Listening = TotalPresentableListenerCrossing
}

@Durable
final actor SumActor: PresentableInteractable, TotalPresentableListener {
    @Message struct State: DurableState {
        var sum: Int = 0
        var ballast: [UInt8] = []
    }

    typealias Deed = @Sendable (isolated SumActor) async throws -> Void

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TotalPresentable
    var state = State()
    @Volatile private var deeds: [String: Deed] = [:]

    init(presenter: any TotalPresentable, deeds: [String: Deed] = [:]) {
        self.presenter = presenter
        self.deeds = deeds
    }

    func teach(_ name: String, _ deed: @escaping Deed) { deeds[name] = deed }

    func didRestore(interrupted: [InterruptedEvent]) async {
        state.sum += 100 * interrupted.count
    }

    func didBecomeActive() async {
        // What a test teaches under this name does not throw.
        try? await deeds["wake"]?(self)
    }

    func act(_ name: String) async throws -> Int {
        guard let deed = deeds[name] else { throw Mishap(description: "nobody taught \(name)") }
        try await deed(self)
        return state.sum
    }
}

@MainActor
final class TotalRouter: LaunchRouter<SumActor, Total> {
    let slip = ChildSlot<Total>("slip")
    let label = ChildSlot<Total>("label")

    /// Attaches a slip that does this when it becomes active.
    func lay(_ deed: @escaping SumActor.Deed = { _ in }) async {
        await attach(slip) { SumActor(presenter: $0.presenter, deeds: ["wake": deed]) }
    }

    func stick() async {
        await attach(label) { SumActor(presenter: $0.presenter) }
    }
}

/// A session whose root is such a feature, with its journal over a store.
@MainActor
final class LedgerSetup {
    let session = SessionHost(name: "library", app: "library", epoch: 7, features: [Total.self])
    let router: TotalRouter
    let journal: NapkinLedger.Journal
    let ledger: SessionLedger

    /// Creates the session, or restores it if the store has it or an image is given.
    init(
        _ store: any JournalStore = MemoryStore(), _ durability: Durability = .process,
        restoring given: SessionImage? = nil
    ) async throws {
        let view = RemoteView<Total>()
        let interactor = SumActor(presenter: view.presenter)
        router = TotalRouter(interactor: interactor, view: view, listener: interactor)
        journal = try NapkinLedger.Journal(durability: durability, store)
        let stored = try await journal.image(named: "library")
        if let image = given ?? stored {
            ledger = SessionLedger(journal: journal, restoring: image)
        } else {
            ledger = SessionLedger(journal: journal, name: "library", id: "library", epoch: 7)
        }
        session.keep(in: ledger)
        await session.launch(router)
    }

    var interactor: SumActor { router.interactor }

    func attach(
        _ attach: Attach = Attach(), as front: FrontSession? = nil
    ) throws -> Viewer {
        let (near, descriptor) = try Channel.pair()
        _ = AttachReceiver(session, try Channel.adopt(descriptor: descriptor))
        return Viewer(near, attach, as: front)
    }

    func listener(_ viewer: Viewer, _ node: UInt32) -> any TotalPresentableListener {
        TotalPresentableListenerCrossing.sender(to: viewer.port(node))
    }

    func end() async { await session.end(Refusal(.sessionEnded, "the test is over")) }
}
