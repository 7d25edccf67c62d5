// LoggedInScreen: the guest's table: the pit's summary, the menu, and the last call.

import NapkinCore
import NapkinElements
import RibHouseContract

@Observable
final class LoggedInModel: LoggedInPresentable {
    let listener: any LoggedInPresentableListener
    @Presented var pitSummary: String = ""
    @Presented var foods: [String] = []
    @Presented var banner: String?

    init(listener: any LoggedInPresentableListener) { self.listener = listener }
}

struct LoggedInScreen: View {
    let user: User
    let model: LoggedInModel

    var body: some View {
        VStack {
            if !model.pitSummary.isEmpty {
                Text("LIVE FROM THE PIT · \(model.pitSummary)").foregroundStyle(.accent)
                    .lineLimit(1)
            }
            if let banner = model.banner { Banner(banner) }
        }
        .navigationTitle(user.name)
        VStack {
            ForEach(model.foods.enumerated(), id: \.offset) { index, food in
                Text("\(index + 1). ").foregroundStyle(.secondary) + Text(food)
            }
        }
        .padding(.top)
        Flow {
            Button("Pit Board") { dispatch { await model.listener.didTapPitBoard() } }
                .keyboardShortcut("p")
            Button("Logout") { dispatch { await model.listener.didTapLogout() } }
                .keyboardShortcut("o")
        }
        .padding(.top)
    }
}
