// LoggedOutView: the door: a title, a lede, and one way in.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import RibHouseContract

final class LoggedOutView: ElementView {
    private let listener: any LoggedOutPresentableListener

    init(listener: any LoggedOutPresentableListener) {
        self.listener = listener
    }

    var body: Elements {
        Text("RIB HOUSE", .title)
        Text("Low, slow and worth the wait. Your table is ready.", .dim, wraps: true)
        Space()
        Button("Login", key: .character("l")) { [weak self] in
            dispatch { await self?.listener.didTapLogin() }
        }
    }
}
