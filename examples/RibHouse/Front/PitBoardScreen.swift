// PitBoardScreen: the items on the fire, stage by stage, and the two specials.

import NapkinCore
import NapkinElements
import RibHouseContract

@Observable
final class PitBoardModel: PitBoardPresentable {
    let listener: any PitBoardPresentableListener
    @Presented var sections: [PitSection] = []
    @Presented var specials: [Special] = []

    init(listener: any PitBoardPresentableListener) { self.listener = listener }
}

struct PitBoardScreen: View {
    /// The least width for stages as columns, in cells. Four of the longest name with a frame.
    private static let columnsFrom = 72
    let model: PitBoardModel

    var body: some View {
        WebElement("pit-picture", script: PackageResources.pit_picture_js, values: model.sections) {
            HStack(spacing: 1, stackedBelow: Self.columnsFrom) {
                ForEach(model.sections) { section in
                    GroupBox(section.title) { ForEach(section.items) { Text($0.name) } }
                        .frame(maxWidth: .infinity)
                }
            }
        } onEvent: { _ in
            dispatch { await model.listener.didTapBack() }
        }
        .accessibilityLabel("The pit")
        .navigationTitle("Pit Board")
        if !model.specials.isEmpty {
            GroupBox("Specials") { ForEach(model.specials) { Text($0.name) } }
        }
        Button("Back", role: .cancel) { dispatch { await model.listener.didTapBack() } }
            .keyboardShortcut("b").padding(.top)
    }
}
