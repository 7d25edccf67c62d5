// LoggedInView: the guest's table: the pit's summary, the menu, and the last call.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import RibHouseContract

final class LoggedInView: LoggedInPresentable, TerminalView {
    let redraw = Redraw()
    private let user: User
    private let listener: any LoggedInPresentableListener
    private var pitSummary = ""
    private var foods: [String] = []
    private var banner: String?

    init(user: User, listener: any LoggedInPresentableListener) {
        self.user = user
        self.listener = listener
    }

    // MARK: - LoggedInPresentable

    func present(pitSummary: String) async {
        self.pitSummary = pitSummary
        invalidate()
    }

    func present(foods: [String]) async {
        self.foods = foods
        invalidate()
    }

    func present(banner: String?) async {
        self.banner = banner
        invalidate()
    }

    // MARK: - TerminalView

    var keys: [KeyBinding] {
        [
            KeyBinding(.character("p"), "Pit Board") { [weak self] in
                dispatch { await self?.listener.didTapPitBoard() }
            },
            KeyBinding(.character("o"), "Logout") { [weak self] in
                dispatch { await self?.listener.didTapLogout() }
            },
        ]
    }

    func render(width: Int, height: Int) -> [StyledLine] {
        var lines = [StyledLine(user.name, .title)]
        if !pitSummary.isEmpty {
            lines.append(StyledLine("LIVE FROM THE PIT · \(pitSummary)", .accent))
        }
        if let banner { lines.append(StyledLine(banner, .warning)) }
        if !foods.isEmpty { lines.append(StyledLine()) }
        for (index, food) in foods.enumerated() {
            lines.append(StyledLine("\(index + 1). ", .dim) + StyledLine(food))
        }
        return lines
    }
}
