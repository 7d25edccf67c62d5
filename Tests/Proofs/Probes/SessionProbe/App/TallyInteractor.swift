// TallyInteractor: applies events, and keeps them in the order in which it did.

import Glibc
import NapkinCore

/// Where one can go from the root.
@MainActor
protocol TallyRouting: LaunchRouting {
    func routeToNextLeaf() async
}

final actor TallyInteractor: PresentableInteractable {
    /// Numbers in one answer. Chosen.
    static let pageMax = 4000

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TallyPresentable
    private weak var router: (any TallyRouting)?
    private var journal: [Int: [Int]] = [:]
    private var applied = 0
    private var asked = 0
    private var right = 0
    private var wrong = 0
    private var unanswered = 0

    init(presenter: any TallyPresentable) {
        self.presenter = presenter
    }

    func wire(router: any TallyRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        await presenter.present(applied: applied)
        await presenter.present(board: Board.lines(at: applied))
    }

    /// What a question is to be answered with.
    static func answer(to question: Int) -> Int { question &* 7 &+ 1 }

    private func ask(_ question: Int) async {
        do {
            let answer = try await presenter.choose(question)
            if answer == Self.answer(to: question) { right += 1 } else { wrong += 1 }
        } catch {
            unanswered += 1
        }
    }
}

extension TallyInteractor: TallyPresentableListener {
    func apply(_ note: Note) async throws -> Int {
        journal[note.writer, default: []].append(note.number)
        applied += 1
        let place = applied
        await presenter.present(applied: place)
        await presenter.present(newest: note)
        await presenter.present(board: Board.lines(at: place))
        switch note.wish {
        case .nothing: break
        case .flash: await presenter.flash(place)
        case .swap: await router?.routeToNextLeaf()
        case .ask:
            asked += 1
            let question = asked
            task { await self.ask(question) }
        case .fail: throw Unwanted(place: place)
        }
        return place
    }

    func applied(by writer: Int, from index: Int) async throws -> [Int] {
        Array(journal[writer, default: []].dropFirst(index).prefix(Self.pageMax))
    }

    func report() async throws -> TallyReport {
        TallyReport(
            pid: Int(getpid()), applied: applied, asked: asked, right: right, wrong: wrong,
            unanswered: unanswered)
    }

    func vote(_ question: Int) async throws -> Int {
        try await presenter.choose(question)
    }
}

/// What a handler throws that was told to.
struct Unwanted: Error, CustomStringConvertible {
    let place: Int

    var description: String { "the event at place \(place) was told to fail" }
}
