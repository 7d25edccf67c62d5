// LoggedInView: the guest's table: the pit's summary, the menu, and the last call.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import Observation
import RibHouseContract

@Observable
final class LoggedInView: LoggedInPresentable, ElementView {
    private let user: User
    private let listener: any LoggedInPresentableListener
    @Presented private var pitSummary: String = ""
    @Presented private var foods: [String] = []
    @Presented private var banner: String?

    init(user: User, listener: any LoggedInPresentableListener) {
        self.user = user
        self.listener = listener
    }

    // MARK: - ElementView

    var title: String? { user.name }

    var body: Elements {
        Heading(user.name)
        if !pitSummary.isEmpty {
            Text("LIVE FROM THE PIT · \(pitSummary)").foregroundStyle(.accent).lineLimit(1)
        }
        if let banner { Banner(banner) }
        VStack {
            ForEach(foods.enumerated()) { index, food in
                Text("\(index + 1). ").foregroundStyle(.secondary) + Text(food)
            }
        }
        .padding(.top)
        Flow {
            Button("Pit Board") { [listener] in dispatch { await listener.didTapPitBoard() } }
                .keyboardShortcut("p")
            Button("Logout") { [listener] in dispatch { await listener.didTapLogout() } }
                .keyboardShortcut("o")
        }
        .padding(.top)
    }
}
