// PitBoardView: the items on the fire, stage by stage, and the two specials.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import Observation
import RibHouseContract

@Observable
final class PitBoardView: PitBoardPresentable, ElementView {
    private let listener: any PitBoardPresentableListener
    private var sections: [PitSection] = []
    private var specials: [Special] = []

    init(listener: any PitBoardPresentableListener) {
        self.listener = listener
    }

    // MARK: - PitBoardPresentable

    func present(sections: [PitSection]) async { self.sections = sections }
    func present(specials: [Special]) async { self.specials = specials }

    // MARK: - ElementView

    /// The least width for stages as columns, in cells. Four of the longest name with a frame.
    private static let columnsFrom = 72

    var title: String? { "Pit Board" }

    var body: Elements {
        Heading("Pit Board")
        Row(spacing: 1, columnBelow: Self.columnsFrom) {
            for section in sections {
                board(section.title, section.items.map(\.name)).width(.share)
            }
        }
        if !specials.isEmpty { board("Specials", specials.map(\.name)) }
        Space()
        Button("Back", key: .character("b"), role: .back) { [weak self] in
            dispatch { await self?.listener.didTapBack() }
        }
    }

    private func board(_ title: String, _ names: [String]) -> Box {
        Box(title) {
            for name in names { Text(name) }
        }
    }
}
