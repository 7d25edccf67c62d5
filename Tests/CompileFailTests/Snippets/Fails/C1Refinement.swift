// C1Refinement: `Presentable` beside a protocol does not put that protocol's listener on the main
// actor.

import NapkinCore

protocol PagePresentableListener: PresentableListener {
    func didTapBack() async
}

protocol PagePresentable: AnyObject {
    var listener: (any PagePresentableListener)? { get set }
}

protocol BoardPresentable: PagePresentable, Presentable {
    func present(text: String) async
}

@MainActor
// expected-error@+1: conformance of 'BoardView' to protocol 'PagePresentable' crosses into
final class BoardView: BoardPresentable {
    // expected-note@+1: main actor-isolated property 'listener' cannot satisfy nonisolated
    weak var listener: (any PagePresentableListener)?
    func present(text: String) async {}
}
