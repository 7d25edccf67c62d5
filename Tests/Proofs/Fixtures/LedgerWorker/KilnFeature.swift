// KilnFeature: the kiln's interactors and router.

import Glibc
import NapkinCore

enum KilnApp: App {
    static let id = "kiln"
    static let features: [any Feature.Type] = [Kiln.self, Ember.self, Hoard.self]
    static let isolatedChildren: [any IsolatedBuilder.Type] = [
        EmberBuilder.self, HoardBuilder.self,
    ]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Kiln>()
        let interactor = KilnInteractor(presenter: view.presenter)
        let router = KilnRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }
}

final class KilnRouter: LaunchRouter<KilnInteractor, Kiln> {
    private let ember = ChildRoute<KilnRouter, Ember>(
        "ember", EmberBuilder.self, isolation: .process
    ) { router in router.interactor }

    private let twin = ChildRoute<KilnRouter, Ember>(
        "twin", EmberBuilder.self, isolation: .process
    ) { router in router.interactor }

    private let hoard = ChildRoute<KilnRouter, Hoard>(
        "hoard", HoardBuilder.self, isolation: .process
    ) { router in router.interactor }

    func unearth() async { await attach(hoard) }

    func bury() async { await detach(hoard) }

    func reseat() async throws {
        guard let child = hoard.child else { return }
        await detachChild(child)
        try await attachChild(child)
    }

    func lightTwin() async { await attach(twin, arguments: EmberArguments(name: "twin")) }

    func light(_ name: String) async { await attach(ember, arguments: EmberArguments(name: name)) }

    func douse() async { await detach(ember) }
}

@Durable
final actor KilnInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var lines: [String] = []
        var total: Int64 = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any KilnPresentable
    @Volatile weak var router: KilnRouter?
    @Volatile private var waiting: [CheckedContinuation<Void, Never>] = []
    var state = State()

    init(presenter: any KilnPresentable) { self.presenter = presenter }

    func wire(_ router: KilnRouter) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(lines: state.lines)
        await presenter.present(total: state.total)
    }

    private func note(_ line: String) async {
        state.lines.append(line)
        await presenter.present(lines: state.lines)
    }
}

extension KilnInteractor: KilnPresentableListener {
    func light(_ name: String) async { await router?.light(name) }
    func douse() async { await router?.douse() }
    func unearth() async { await router?.unearth() }
    func reseat() async throws { try await router?.reseat() }

    func release() async {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

extension KilnInteractor: EmberListener {
    func emberDid(_ what: String) async throws -> Int64 {
        let caller = AttachedFront.caller.map { " for \($0.id)" } ?? ""
        await note(what + caller)
        return Int64(state.lines.count)
    }

    func emberWaits() async throws {
        await note("waits")
        await withCheckedContinuation { waiting.append($0) }
        await note("goes on")
    }

    func emberLeaves() async throws -> Int64 {
        await router?.douse()
        await note("detached, cancelled: \(Task.isCancelled)")
        await withCheckedContinuation { waiting.append($0) }
        await note("left, cancelled: \(Task.isCancelled)")
        return Int64(state.lines.count)
    }

    func emberWantsTwin() async throws { await router?.lightTwin() }
}

extension KilnInteractor: HoardListener {
    func hoardGot(_ coins: Int64) async throws {
        state.total += coins
        await presenter.present(total: state.total)
    }

    func hoardLeaves() async throws { await router?.bury() }

    func hoardWaits() async throws { await withCheckedContinuation { waiting.append($0) } }
}

extension KilnInteractor: SupervisingInteractable {
    func childDidCrash(_ crash: ChildCrash) async -> AfterCrash {
        await note("\(crash)")
        return state.lines.contains { $0.hasPrefix("once lit") } ? .giveUp : .restart
    }
}

enum EmberBuilder: IsolatedBuilder {
    typealias Listener = EmberListenerCrossing

    static func build(
        view: RemoteView<Ember>, listener: any EmberListener
    ) async -> any EmberPresentableListener {
        EmberInteractor(
            view.arguments.name, presenter: view.presenter, listener: listener)
    }
}

final actor EmberInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any EmberPresentable
    private let name: String
    private weak var listener: (any EmberListener)?

    init(_ name: String, presenter: any EmberPresentable, listener: any EmberListener) {
        (self.name, self.presenter, self.listener) = (name, presenter, listener)
    }

    func didBecomeActive() async {
        await presenter.present(process: getpid())
        await tell("lit")
        // As below.
        if name == "first" { try? await listener?.emberWantsTwin() }
        // As below.
        if name == "brief" { _ = try? await listener?.emberLeaves() }
    }

    func willResignActive() async { await tell("doused") }

    private func tell(_ what: String) async {
        // If the parent has gone, so has this process, soon.
        _ = try? await listener?.emberDid("\(name) \(what)")
    }
}

extension EmberInteractor: EmberPresentableListener {
    func heat(_ degrees: Int64) async throws -> Int64 {
        await presenter.present(heat: degrees)
        await presenter.ash("heated to \(degrees)")
        await presenter.spark(degrees)
        return try await listener?.emberDid("\(name) at \(degrees)") ?? -1
    }

    func confirm(_ question: String) async throws -> Bool {
        try await ask(.caller) { try await presenter.confirm(question) }
    }

    func wait() async throws { try await listener?.emberWaits() }

    func burst() async throws {
        await tell("bursts")
        fatalError("burst on purpose")
    }

    func burn(_ mebibytes: Int64) async throws {
        let memory = [UInt8](repeating: 1, count: Int(mebibytes) << 20)
        try await Task.sleep(for: .seconds(3600))
        withExtendedLifetime(memory) {}
    }

    /// In a function that has a frame, for the receipt.
    func smoulder() async throws { while true {} }

    func lie() async throws -> Int64 {
        guard let call = await (IncomingCall.current as? ChildCall)?.number else { return 0 }
        // A reply (SPEC, section 2) with a text, on the connection to the worker.
        let number = withUnsafeBytes(of: call.littleEndian, Array.init)
        let text = [0x69] + Array("no number".utf8)
        let header: [UInt8] = [34, 0, 0, 0, 38, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
        let frame = header + number + [0, 0, 0, 0] + text
        _ = frame.withUnsafeBytes { write(3, $0.baseAddress, $0.count) }
        return 1
    }
}
