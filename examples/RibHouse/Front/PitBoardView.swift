// PitBoardView: what is on the fire, stage by stage, and the two specials.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import RibHouseContract

final class PitBoardView: PitBoardPresentable, TerminalView {
    let redraw = Redraw()
    private let listener: any PitBoardPresentableListener
    private var sections: [PitSection] = []
    private var specials: [Special] = []

    init(listener: any PitBoardPresentableListener) {
        self.listener = listener
    }

    // MARK: - PitBoardPresentable

    func present(sections: [PitSection]) async {
        self.sections = sections
        invalidate()
    }

    func present(specials: [Special]) async {
        self.specials = specials
        invalidate()
    }

    // MARK: - TerminalView

    var keys: [KeyBinding] {
        [
            KeyBinding(.character("b"), "Back", role: .back) { [weak self] in
                dispatch { await self?.listener.didTapBack() }
            }
        ]
    }

    func render(width: Int, height: Int) -> [StyledLine] {
        var lines = [StyledLine("Pit Board", .title)]
        for section in sections {
            lines.append(StyledLine(section.title, .accent))
            lines += section.items.map { StyledLine($0.name).indented(by: 2) }
        }
        if !specials.isEmpty {
            lines.append(StyledLine("Specials", .accent))
            lines += specials.map { StyledLine($0.name).indented(by: 2) }
        }
        return lines
    }
}
