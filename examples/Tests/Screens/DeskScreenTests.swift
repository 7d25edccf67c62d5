// DeskScreenTests: the list, a run and a question as text, and the keys of a run.

import DeskContract
import NapkinCore
import NapkinElements
import NapkinTerminal
import Testing

@testable import DeskFront

@Suite struct DeskScreenTests {
    private func run(
        _ id: Int, _ state: Run.State, _ seconds: Double, queue: String? = nil, after: [Int] = [],
        status: Int32? = nil, progress: Double? = nil, last: String = "", attempt: Int = 1
    ) -> Run {
        Run(
            id: id, order: Order(command: "make", queue: queue, after: after), state: state,
            attempt: attempt, status: status, seconds: seconds, progress: progress, last: last)
    }

    @Test func `a list says what is the matter with each run, and what it says itself`() async {
        let model = RunListModel(listener: Nobody())
        await model.present(runs: [
            run(3, .running, 4.25, progress: 0.45, last: "Compiling"), run(4, .failed, 0),
            run(1, .failed, 3849, status: 2), run(2, .waiting, 0, queue: "q", after: [3, 1]),
            run(5, .waiting, 0, queue: "q"),
        ])
        let lines = RunListScreen(model: model).render(width: 60, height: 12).map(\.text)
        #expect(lines.contains { $0.contains("✗    1    64:09  exit 2       make") })
        #expect(lines.contains { $0.contains("▸    3    4.2 s  45 %         make  Compiling") })
        #expect(lines.contains { $0.contains("✗    4           not started  make") })
        #expect(lines.contains { $0.contains("·    2           after 3,1    make") })
        #expect(lines.contains { $0.contains("·    5           in q         make") })
    }

    @Test(
        arguments: [
            (.running, "[k] Kill  [p] Pause  [b] Back"), (.ending, "[b] Back"),
            (.paused, "[k] Kill  [p] Resume  [b] Back"), (.waiting, "[k] Kill  [b] Back"),
            (.killed, "[a] Again  [r] Remove  [b] Back"),
        ] as [(Run.State, String)])
    func `a run has buttons for what can be done with it`(state: Run.State, keys: String) async {
        let model = RunPageModel(listener: Nobody())
        await model.present(run: run(3, state, 1))
        let lines = RunPageScreen(id: 3, model: model).render(width: 40, height: 14).map(\.text)
        #expect(lines.last == keys)
    }

    @Test func `a run's line says each thing once, and why it did not start`() async {
        let model = RunPageModel(listener: Nobody())
        await model.present(run: run(3, .paused, 1))
        #expect(shown(model).contains("‖ paused · 1.0 s"))
        await model.present(run: run(3, .failed, 0, last: "no room"))
        #expect(shown(model).contains("✗ failed · not started · no room"))
    }

    @Test func `a run is killed after a question`() async {
        let nobody = Nobody()
        let model = RunPageModel(listener: nobody)
        await model.present(run: run(3, .running, 1))
        let stage = ViewStage(RunPageScreen(id: 3, model: model))
        stage.press(.control("\\"), "k")
        #expect(stage.lines.joined().contains("Kill run 3?"))
        stage.press("n")
        #expect(!stage.lines.joined().contains("Kill run 3?"))
        // The terminal has the keys again.
        stage.press(.control("\\"), "p")
        var acts = nobody.acts.stream.makeAsyncIterator()
        #expect(await acts.next() == .pause)
        stage.press("k", "y")
        #expect(await acts.next() == .kill)
    }

    @Test func `a run's page leaves its terminal the lines that are not about it`() async {
        let model = DeskModel(listener: Nobody())
        let place = Place()
        func lines() -> String {
            DeskScreen(model: model, place: place).render(width: 60, height: 12).map(\.text)
                .joined(separator: "\n")
        }
        #expect(lines().contains("0 running") && lines().contains("[ More ]"))
        place.runs = 1
        #expect(!lines().contains("0 running") && !lines().contains("[ More ]"))
    }

    @Test func `a run has its terminal, and on pipes its lines`() async {
        let model = RunPageModel(listener: Nobody())
        await model.present(run: run(3, .running, 1))
        var screen = ConsoleScreen(rows: 2, columns: 20)
        screen.rows[0] = ConsoleRow([ConsoleRun("drawn", cells: 5)])
        await model.present(screen: screen)
        #expect(shown(model).contains("drawn"))
        var piped = run(3, .running, 1)
        piped.order.hasPipes = true
        await model.present(run: piped)
        await model.output("printed")
        model.skipped(LogGap(log: MethodID(key: "output(_:)"), items: 1..<9, oldest: 0))
        #expect(shown(model).contains("printed") && shown(model).contains("… 8 lines …"))
        #expect(!shown(model).contains("drawn"))
        model.beginsAnew(MethodID(key: "output(_:)"))
        #expect(!shown(model).contains("printed"))
    }

    private func shown(_ model: RunPageModel) -> String {
        RunPageScreen(id: 3, model: model).render(width: 40, height: 14).map(\.text)
            .joined(separator: "\n")
    }

    @Test func `a question has its choices, and then says who has answered`() async {
        let model = DeskModel(listener: Nobody())
        var question = DeskContract.Question(
            id: 1, text: "Deploy?", choices: ["now", "never"], run: 4)
        question.answer = .init(choice: "now", by: "desk 1.0, front 3", at: 0)
        await model.present(questions: [question])
        let lines = DeskScreen(model: model).render(width: 60, height: 12).map(\.text)
        #expect(lines.contains { $0.contains("✓ run 4: Deploy? now (desk 1.0, front 3)") })
    }
}

private actor Nobody: DeskPresentableListener, RunListPresentableListener,
    RunPagePresentableListener
{
    nonisolated let acts = AsyncStream<Verb>.makeStream()

    func run(_ order: Order, environment: [String: String]) async throws(DeskError) -> Int { 1 }
    func act(_ verb: Verb, on runs: [String]) async throws(DeskError) -> [Int] { [] }
    func runs(_ words: String) async throws(DeskError) -> [Run] { [] }
    func search(_ words: String) async throws(DeskError) -> Found { Found() }
    func end(of run: String) async throws(DeskError) -> Run { throw .unknown(run) }
    func output(
        of run: String, from place: Piece, waits: Bool
    ) async throws(DeskError) -> Piece { Piece() }
    func screen(of run: String) async throws(DeskError) -> String { "" }
    func type(_ text: String, into run: String) async throws(DeskError) {}
    func number(of run: String) async throws(DeskError) -> Int { 1 }
    func setWidth(_ width: Int, of queue: String) async throws(DeskError) {}
    func ask(_ question: DeskContract.Question) async throws(DeskError) -> Int { 1 }
    func answer(_ id: Int, _ choice: String) async throws(DeskError) {}
    func answered(_ id: Int) async throws(DeskError) -> DeskContract.Question {
        DeskContract.Question(text: "")
    }
    func questions() async throws(DeskError) -> [DeskContract.Question] { [] }
    func didFilter(_ filter: RunFilter) async {}
    func didSelect(_ id: Int) async {}
    func didAct(_ verb: Verb) async throws(DeskError) { acts.continuation.yield(verb) }
    func didInput(_ input: ConsoleInput) async throws(DeskError) {}
    func didType(_ line: String) async throws(DeskError) {}
    func didTapBack() async {}
}
