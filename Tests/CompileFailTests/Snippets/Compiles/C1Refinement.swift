// C1Refinement: `Presentable` at the base, once, puts each protocol that refines it there.

import NapkinCore

protocol PagePresentableListener: PresentableListener {
    func didTapBack() async
}

protocol PagePresentable: Presentable {
    var listener: (any PagePresentableListener)? { get set }
}

protocol BoardPresentable: PagePresentable {
    func present(text: String) async
}

@MainActor
final class BoardView: BoardPresentable {
    weak var listener: (any PagePresentableListener)?
    func present(text: String) async {}
}
