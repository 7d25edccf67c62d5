// DeskFeature: the worker's side of the desk.

import NapkinCore

/// Where one can go from the desk.
@MainActor
protocol DeskRouting: LaunchRouting {
    func routeToNote() async
    func routeFromNote() async
    func routeToNextNote() async
}

final actor DeskInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DeskPresentable
    private weak var router: (any DeskRouting)?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var piled = 0
    /// More than what a socket takes and `Limits.slowFrontBytes` together.
    private static let sheets = 64 * 1024

    init(presenter: any DeskPresentable) {
        self.presenter = presenter
    }

    func wire(router: any DeskRouting) {
        self.router = router
    }

    /// A handler that waited for ever would keep its interactor, and a killed session with it.
    func willResignActive() async {
        release()
    }

    private func release() {
        let released = waiting
        waiting = []
        for continuation in released { continuation.resume() }
    }
}

extension DeskInteractor: DeskPresentableListener {
    func didTapEmpty() async {
        let outcome = await Outcome.of { try await presenter.confirm("Empty the desk?") }
        await presenter.present(outcome: outcome)
    }

    func didTapFail() async throws {
        throw DeskError.locked
    }

    func didTapWait() async {
        await presenter.present(waiting: waiting.count + 1)
        await withCheckedContinuation { waiting.append($0) }
    }

    func didTapRelease() async {
        release()
        await presenter.present(waiting: 0)
    }

    func didTapWrite() async { await router?.routeToNote() }
    func didTapTear() async { await router?.routeFromNote() }
    func didTapReplace() async { await router?.routeToNextNote() }

    func didTapPile() async {
        piled += 1
        let sheets = String(repeating: "a sheet ", count: Self.sheets)
        await presenter.present(heap: "\(piled) \(sheets)")
        await presenter.ring(piled)
    }
}

extension DeskInteractor: NoteListener {
    func noteDidEnd(with outcome: String) async {
        await presenter.present(outcome: outcome)
    }
}

@MainActor
final class DeskRouter: LaunchRouter<DeskInteractor, Desk>, DeskRouting {
    private let note = ChildSlot<Note>("note", presentation: .modal)

    func routeToNote() async {
        await attach(note) { view in
            NoteInteractor(presenter: view.presenter, listener: interactor)
        }
    }

    func routeFromNote() async {
        await detach(note)
    }

    func routeToNextNote() async {
        await transition {
            await detach(note)
            await routeToNote()
        }
    }
}

/// A question's end, as text.
enum Outcome {
    static func of(_ ask: () async throws -> Bool) async -> String {
        do {
            return try await ask() ? "yes" : "no"
        } catch let fault as RemoteFault {
            return fault.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}

enum QuestionApp: App {
    static let id = "questions"
    static let features: [any Feature.Type] = [Desk.self, Note.self]
    /// A workflow that is under way until it is cancelled.
    static let deepLinks = [
        DeepLinkRoute("questions://wait", "waits", on: DeskInteractor.self) { _ in
            let workflow = Workflow<DeskInteractor>()
            workflow.onStep("wait") { desk in
                let (never, end) = AsyncStream.makeStream(of: Void.self)
                // Not a sleep: of one that is cancelled something is left until its time.
                defer { end.finish() }
                for await _ in never {}
                try Task.checkCancellation()
                return (desk, ())
            }.commit()
            return workflow
        }
    ]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Desk>()
        let interactor = DeskInteractor(presenter: view.presenter)
        let router = DeskRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }
}
