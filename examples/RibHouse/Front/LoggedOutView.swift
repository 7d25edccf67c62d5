// LoggedOutView: the door: a title, a lede, and one way in.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import RibHouseContract

final class LoggedOutView: TerminalView {
    let redraw = Redraw()
    private let listener: any LoggedOutPresentableListener

    init(listener: any LoggedOutPresentableListener) {
        self.listener = listener
    }

    var keys: [KeyBinding] {
        [
            KeyBinding(.character("l"), "Login") { [weak self] in
                dispatch { await self?.listener.didTapLogin() }
            }
        ]
    }

    func render(width: Int, height: Int) -> [StyledLine] {
        [
            StyledLine("RIB HOUSE", .title),
            StyledLine("Low, slow and worth the wait. Your table is ready.", .dim),
        ]
    }
}
