// PoisonInteractor: dies as it is told to; and the apps whose sessions do, or enter amounts.
//
// Isolation  actor (loop executor); jobs, and a death on a thread of its own, off the loop.

import Foundation
import NapkinCore

protocol PoisonState: DurableState {
    init()
    var changes: Int { get set }
    var flask: Flask { get set }
}

@Message struct PoisonOne: PoisonState {
    var changes: Int = 0
    var flask: Flask = Flask()

    init() {}
}

/// That of a later version, which traps when it is to become it.
@Message struct PoisonTwo: PoisonState {
    static let migrations = [
        Migration(from: PoisonOne.self) { _ -> PoisonTwo in preconditionFailure("a migration") }
    ]

    var changes: Int = 0
    var flask: Flask = Flask()
    var version: Int?

    init() {}
}

/// The parent, as its child and its router know it.
protocol PoisonParent: Actor {
    func childCalled() async
}

@Durable
final actor PoisonInteractor<State: PoisonState>: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PoisonPresentable
    @Volatile private weak var router: PoisonRouter<State>?
    /// What is to die in the session's launch, and the file that makes the app the later version.
    private let launch: Death?
    private let upgrade: String
    private let values = StateCell(0)
    var state = State()

    init(presenter: any PoisonPresentable, launch: Death?, upgrade: String) {
        (self.presenter, self.launch, self.upgrade) = (presenter, launch, upgrade)
    }

    func wire(_ router: PoisonRouter<State>) { self.router = router }

    func didBecomeActive() async {
        precondition(launch != .rootActivation, "an activation")
        let values = values.values
        task {
            for await value in values where value > 0 { preconditionFailure("a stream") }
        }
    }

    private func change() { state.changes += 1 }
}

extension PoisonInteractor: PoisonParent {
    func childCalled() async { await Death.listener.happens() }
}

extension PoisonInteractor: PoisonPresentableListener {
    func dies(_ death: Death) async throws {
        switch death {
        case .between, .after:
            change()
            if death == .after { change() }
            await death.happens()
            change()
        case .waited, .changedAndWaited:
            if death == .changedAndWaited { change() }
            await Death.pause()
            await death.happens()
        case .builder, .activation: await router?.open(death)
        case .encoded: await presenter.present(flask: .trappingWriter)
        case .effect: await presenter.flash(.trappingWriter)
        case .stream:
            task {
                await Death.pause(seconds: 0.05)
                self.values.value = 1
            }
        case .task:
            task {
                await Death.pause(seconds: 0.05)
                await death.happens()
            }
        case .ownThread: task { await Self.diesElsewhere() }
        case .timer: try schedule("death", after: .milliseconds(20), death)
        case .job, .jobSuccess, .jobFailure: try post(death)
        case .restored: state.flask = .trappingReader
        case .migrated:
            change()
            _ = FileManager.default.createFile(atPath: upgrade, contents: nil)
        default: await death.happens()
        }
    }

    func opens() async throws { await router?.open(.before) }

    func serves() async throws -> Int { Int(getpid()) }

    @concurrent
    private nonisolated static func diesElsewhere() async {
        await Death.pause(seconds: 0.05)
        await Death.ownThread.happens()
    }
}

extension PoisonInteractor: SchedulingInteractable {
    func timerFired(_ name: String, _ death: Death) async throws { await death.happens() }
}

extension PoisonInteractor: PostingInteractable {
    static var attempts: JobAttempts {
        JobAttempts(most: 2, first: .milliseconds(2), longest: .milliseconds(2))
    }

    nonisolated func perform(_ death: Death, key: JobKey) async throws -> Int {
        if death == .job { await death.happens() }
        if death == .jobFailure { throw Planned() }
        return 0
    }

    func jobSucceeded(_ death: Death, _ result: Int, key: JobKey) async throws {
        await death.happens()
    }

    func jobFailed(_ death: Death, _ failure: JobFailure, key: JobKey) async throws {
        if death == .jobFailure { await death.happens() }
    }
}

final actor PoisonChildInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PoisonChildPresentable
    private let death: Death
    private weak var listener: (any PoisonParent)?

    init(
        presenter: any PoisonChildPresentable, _ death: Death, listener: any PoisonParent
    ) {
        (self.presenter, self.death, self.listener) = (presenter, death, listener)
    }

    func didBecomeActive() async { if death == .activation { await death.happens() } }
}

extension PoisonChildInteractor: PoisonChildPresentableListener {
    func dies(_ death: Death) async throws {
        if death == .listener { await listener?.childCalled() }
        await death.happens()
    }
}

@MainActor
final class PoisonRouter<State: PoisonState>: LaunchRouter<PoisonInteractor<State>, Poison> {
    private let child = ChildRoute<PoisonRouter<State>, PoisonChild>("child") { router, view in
        let death = view.arguments.death
        if death == .builder { await death.happens() }
        return PoisonChildInteractor(
            presenter: view.presenter, death, listener: router.interactor)
    }

    func open(_ death: Death) async { await attach(child, arguments: .init(death: death)) }
}

/// An app of several ids, each with a manifest of its own.
protocol PoisonApp: App {}

extension PoisonApp {
    static var features: [any Feature.Type] { BookApp.features + [Poison.self, PoisonChild.self] }

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let words = session.name.split(separator: "-")
        guard words[0] == "poison" else { return await BookApp.makeRoot(session) }
        let launch = words.count > 2 ? Death(rawValue: "\(words[1])") : nil
        precondition(launch != .root, "a builder of a root")
        let upgrade = "\(session.dataDirectory)/\(session.name).upgrade"
        return FileManager.default.fileExists(atPath: upgrade)
            ? await root(PoisonTwo.self, launch, upgrade)
            : await root(PoisonOne.self, launch, upgrade)
    }

    @MainActor
    private static func root<State: PoisonState>(
        _: State.Type, _ launch: Death?, _ upgrade: String
    ) async -> any LaunchRouting {
        let view = RemoteView<Poison>()
        let interactor = PoisonInteractor<State>(
            presenter: view.presenter, launch: launch, upgrade: upgrade)
        let router = PoisonRouter<State>(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }

    /// The id that napkind has started this program for, if it is this app's.
    static func hosted(_ kind: String) -> String {
        CommandLine.arguments.first { $0.hasPrefix("\(kind)-") && $0.count < 20 } ?? kind
    }
}

enum DurablePoison: PoisonApp {
    static let id = hosted("durable")
}

enum VolatilePoison: PoisonApp {
    static let id = hosted("volatile")
    static let durability = Durability.none
}
