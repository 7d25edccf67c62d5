// Shelf: a durable feature that does what a test has taught it, in a session with a journal.
//
// Isolation  actor (loop executor); the router and the store's owner are @MainActor.

package import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

@testable import NapkinRuntime

/// What a shelf shows.
@Crossing @MainActor
package protocol ShelfPresentable: Presentable {
    func present(sum: Int) async
    func present(title: String) async
    @Append(items: 128) func note(_ number: Int) async
    func confirm(_ question: String) async throws -> Bool
}

/// What a shelf's view says.
@Crossing
package protocol ShelfPresentableListener: PresentableListener {
    /// Does what the test has taught the shelf under that name.
    func act(_ name: String) async throws -> Int
}

package enum Shelf: Feature {
    package static let id: FeatureID = "shelf"
    package typealias Presenting = ShelfPresentableCrossing
    package typealias Listening = ShelfPresentableListenerCrossing
}

@Durable
final actor Clerk: PresentableInteractable, ShelfPresentableListener {
    @Message struct State: DurableState {
        var sum: Int = 0
        var ballast: [UInt8] = []
    }

    typealias Deed = @Sendable (isolated Clerk) async throws -> Void

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any ShelfPresentable
    var state = State()
    @Volatile private var deeds: [String: Deed] = [:]

    init(presenter: any ShelfPresentable, deeds: [String: Deed] = [:]) {
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
final class ShelfRouter: LaunchRouter<Clerk, Shelf> {
    let slip = ChildSlot<Shelf>("slip")
    let label = ChildSlot<Shelf>("label")

    /// Attaches a slip that does this when it becomes active.
    func lay(_ deed: @escaping Clerk.Deed = { _ in }) async {
        await attach(slip) { Clerk(presenter: $0.presenter, deeds: ["wake": deed]) }
    }

    func stick() async {
        await attach(label) { Clerk(presenter: $0.presenter) }
    }
}

/// A session whose root is a shelf, with its journal over a store.
@MainActor
final class Library {
    let session = SessionHost(name: "library", app: "library", epoch: 7, features: [Shelf.self])
    let router: ShelfRouter
    let journal: NapkinLedger.Journal
    let ledger: SessionLedger

    /// Creates the session, or restores it if the store has it or an image is given.
    init(
        _ store: any JournalStore = MemoryStore(), _ durability: Durability = .process,
        restoring given: SessionImage? = nil
    ) async throws {
        let view = RemoteView<Shelf>()
        let clerk = Clerk(presenter: view.presenter)
        router = ShelfRouter(interactor: clerk, view: view, listener: clerk)
        journal = try NapkinLedger.Journal(durability: durability) { () throws(StoreError) in store
        }
        let stored = try await journal.image(named: "library")
        if let image = given ?? stored {
            ledger = SessionLedger(journal: journal, restoring: image)
        } else {
            ledger = SessionLedger(journal: journal, name: "library", id: "library", epoch: 7)
        }
        session.keep(in: ledger)
        await session.launch(router)
    }

    var clerk: Clerk { router.interactor }

    func attach(
        _ attach: Attach = Attach(), as front: FrontSession? = nil
    ) throws -> Visitor {
        let (near, descriptor) = try Channel.pair()
        _ = Doorkeeper(session, try Channel.adopt(descriptor: descriptor))
        return Visitor(near, attach, as: front)
    }

    func listener(_ visitor: Visitor, _ node: UInt32) -> any ShelfPresentableListener {
        ShelfPresentableListenerCrossing.sender(to: visitor.port(node))
    }

    func end() async { await session.end(Refusal(.sessionEnded, "the test is over")) }
}
