// C1Listener: a view's listener, required by a protocol that forgets `Presentable`.

import NapkinCore

protocol BoardPresentableListener: PresentableListener {
    func didTapBack() async
}

protocol BoardPresentable: AnyObject {
    var listener: (any BoardPresentableListener)? { get set }
}

@MainActor
// expected-error@+1: conformance of 'BoardView' to protocol 'BoardPresentable' crosses into
final class BoardView: BoardPresentable {
    // expected-note@+1: main actor-isolated property 'listener' cannot satisfy nonisolated
    weak var listener: (any BoardPresentableListener)?
}
