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
    @Presented private var sections: [PitSection] = []
    @Presented private var specials: [Special] = []

    init(listener: any PitBoardPresentableListener) {
        self.listener = listener
    }

    // MARK: - ElementView

    /// The least width for stages as columns, in cells. Four of the longest name with a frame.
    private static let columnsFrom = 72

    var title: String? { "Pit Board" }

    var body: Elements {
        Heading("Pit Board")
        HStack(spacing: 1, stackedBelow: Self.columnsFrom) {
            ForEach(sections) { section in
                board(section.title, section.items.map(\.name)).frame(maxWidth: .infinity)
            }
        }
        if !specials.isEmpty { board("Specials", specials.map(\.name)) }
        Button("Back", role: .cancel) { [listener] in dispatch { await listener.didTapBack() } }
            .keyboardShortcut("b").padding(.top)
    }

    private func board(_ title: String, _ names: [String]) -> GroupBox {
        GroupBox(title) { ForEach(names) { Text($0) } }
    }
}
