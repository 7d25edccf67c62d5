// C1Listener: requirement and view are both on the main actor by `Presentable`.

import NapkinCore

protocol BoardPresentableListener: PresentableListener {
    func didTapBack() async
}

protocol BoardPresentable: Presentable {
    var listener: (any BoardPresentableListener)? { get set }
}

@MainActor
final class BoardView: BoardPresentable {
    weak var listener: (any BoardPresentableListener)?
}
