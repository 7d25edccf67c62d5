// LoggedOutInteractor: passes the tap on to its parent.

import NapkinCore
import RibHouseContract

/// What the door tells its parent.
protocol LoggedOutListener: AnyObject, Sendable {
    func loggedOutDidTapLogin() async
}

/// The door has no state and shows only its own words.
final actor LoggedOutInteractor: Interactable, LoggedOutPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    private weak var listener: (any LoggedOutListener)?

    init(listener: any LoggedOutListener) {
        self.listener = listener
    }

    func didTapLogin() async {
        await listener?.loggedOutDidTapLogin()
    }
}
