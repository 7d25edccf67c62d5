// PaneFeature: holds the shell, presents its screen and gives it what is typed.

public import NapkinCore
import NapkinSystem

public enum PaneApp: App {
    public static let id = "pane"
    public static let features: [any Feature.Type] = [Pane.self]

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Pane>()
        let interactor = PaneInteractor(
            presenter: view.presenter, programs: HeldPrograms(of: session))
        return LaunchRouter<PaneInteractor, Pane>(
            interactor: interactor, view: view, listener: interactor)
    }
}

final actor PaneInteractor: PresentableInteractable, PanePresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PanePresentable
    private let programs: HeldPrograms
    private var console: HeldConsole?

    init(presenter: any PanePresentable, programs: HeldPrograms) {
        self.presenter = presenter
        self.programs = programs
    }

    func didBecomeActive() async {
        task {
            do {
                try await self.show()
            } catch is CancellationError {
                // The session has ended.
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    private func show() async throws {
        let size = TerminalSize(rows: 24, columns: 80)
        let program =
            if let running = programs["shell"] {
                running
            } else {
                try await programs.start(
                    "shell", "/bin/sh", environment: ["TERM": "xterm-256color", "PS1": "$ "],
                    terminal: size)
            }
        let console = try HeldConsole(of: program, size: size)
        self.console = console
        for try await screen in console.screens { await presenter.present(screen: screen) }
    }

    func didType(_ input: ConsoleInput) async { await console?.take(input) }
}
