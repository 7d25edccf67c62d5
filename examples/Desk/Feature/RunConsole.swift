// RunConsole: the terminal of a run's program, for any number of pages.
//
// Ownership  the interactor keeps it while the program runs, a page as long as it shows it.

import DeskContract
import NapkinCore
import NapkinSystem

/// A program has one terminal, which answers it once, however many look.
final class RunConsole: Sendable {
    /// The newest screen; `nil` before the first one.
    let screen = StateCell<ConsoleScreen?>(nil)
    private let program: HeldProgram
    private let console: HeldConsole

    init(of program: HeldProgram, _ order: Order) throws(ProgramError) {
        self.program = program
        console = try HeldConsole(
            of: program, size: TerminalSize(rows: order.rows, columns: order.columns))
    }

    /// Follows what the program draws, until it has ended.
    func follow() async {
        do {
            for try await screen in console.screens { self.screen.value = screen }
        } catch {
            // The session ends, or its programs cannot be watched: the last screen stays.
        }
    }

    /// Takes what a person does; false if the program does not read it.
    func take(_ input: ConsoleInput) async -> Bool {
        let isTaken = await console.take(input)
        // Nobody follows it any more.
        if program.currentEnd != nil { screen.value = await console.screen() }
        return isTaken
    }
}
