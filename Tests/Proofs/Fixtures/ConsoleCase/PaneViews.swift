// PaneViews: the shell's terminal, alone on the screen.

import NapkinCore
import NapkinElements
public import NapkinFront
import Observation

public enum PaneViews {
    @MainActor
    public static func register(in registry: ViewRegistry) {
        registry.register(Pane.self, PaneModel.init) { PaneScreen(model: $0) }
    }
}

@MainActor
@Observable
final class PaneModel: PanePresentable {
    let listener: any PanePresentableListener
    private(set) var screen: ConsoleScreen?

    init(listener: any PanePresentableListener) { self.listener = listener }

    func present(screen: ConsoleScreen) async { self.screen = screen }
}

struct PaneScreen: View {
    let model: PaneModel

    var body: some View {
        Console(model.screen, label: "Shell") { input in
            dispatch { await model.listener.didType(input) }
        }
    }
}
