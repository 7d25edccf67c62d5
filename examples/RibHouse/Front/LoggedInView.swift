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
    private var pitSummary = ""
    private var foods: [String] = []
    private var banner: String?

    init(user: User, listener: any LoggedInPresentableListener) {
        self.user = user
        self.listener = listener
    }

    // MARK: - LoggedInPresentable

    func present(pitSummary: String) async { self.pitSummary = pitSummary }
    func present(foods: [String]) async { self.foods = foods }
    func present(banner: String?) async { self.banner = banner }

    // MARK: - ElementView

    var title: String? { user.name }

    var body: Elements {
        Heading(user.name)
        if !pitSummary.isEmpty { Text("LIVE FROM THE PIT · \(pitSummary)", .accent) }
        if let banner { Banner(banner) }
        if !foods.isEmpty { Gap() }
        for (index, food) in foods.enumerated() {
            Text(StyledLine("\(index + 1). ", .dim) + StyledLine(food))
        }
        Space()
        Flow {
            Button("Pit Board", key: .character("p")) { [weak self] in
                dispatch { await self?.listener.didTapPitBoard() }
            }
            Button("Logout", key: .character("o")) { [weak self] in
                dispatch { await self?.listener.didTapLogout() }
            }
        }
    }
}
