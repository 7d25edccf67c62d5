// RunPageInteractor: follows one run for one front.

import DeskContract
import NapkinCore
import NapkinSystem

/// What the page tells the list below it.
protocol RunPageListener: AnyObject, Sendable {
    func runPageDidFinish() async
}

final actor RunPageInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any RunPagePresentable
    private weak var listener: (any RunPageListener)?
    private let desk: DeskInteractor
    private let id: Int
    private var console: RunConsole?

    init(
        presenter: any RunPagePresentable, listener: any RunPageListener, desk: DeskInteractor,
        id: Int
    ) {
        self.presenter = presenter
        self.listener = listener
        self.desk = desk
        self.id = id
    }

    func didBecomeActive() async {
        task {
            var shown: (attempt: Int, task: Task<Void, Never>)?
            for await runs in self.desk.current.values {
                guard let run = runs.first(where: { $0.id == self.id }) else { continue }
                await self.presenter.present(run: run)
                guard run.attempt != shown?.attempt,
                    let program = await self.desk.program(of: run)
                else { continue }
                self.console = await self.desk.console(of: run)
                // One that starts has none yet.
                guard self.console != nil || run.order.hasPipes else { continue }
                shown?.task.cancel()
                shown = (run.attempt, self.task { await self.show(program) })
            }
        }
    }

    /// Shows what an attempt draws, or on pipes has printed and prints until it ends.
    private func show(_ program: HeldProgram) async {
        if let console {
            for await screen in console.screen.values {
                if let screen { await presenter.present(screen: screen) }
            }
            return
        }
        await appendAnew {
            do {
                var end: UInt64 = 0
                for try await line in program.lines() {
                    if line.offset > end {
                        await presenter.output("… \(line.offset - end) bytes are not kept …")
                    }
                    end = line.end
                    await presenter.output(line.text)
                }
            } catch is CancellationError {
                // The page is gone.
            } catch {
                await presenter.output("\(error)")
            }
        }
    }
}

extension RunPageInteractor: RunPagePresentableListener {
    func didAct(_ verb: Verb) async throws(DeskError) {
        _ = try await desk.act(verb, on: ["\(id)"])
        if verb == .remove { await didTapBack() }
    }

    func didInput(_ input: ConsoleInput) async throws(DeskError) {
        if let console { try await desk.give(input, to: console, of: id) }
    }

    func didType(_ line: String) async throws(DeskError) {
        try await desk.type("\(line)\n", into: "\(id)")
    }

    func didTapBack() async { await listener?.runPageDidFinish() }
}
