// C1Conformance: a view on the main actor, behind a protocol that forgets `Presentable`.

import NapkinCore

protocol BoardPresentable: AnyObject {
    var title: String { get }
    func present(text: String) async
}

@MainActor
// expected-error@+1: conformance of 'BoardView' to protocol 'BoardPresentable' crosses into
final class BoardView: BoardPresentable {
    // expected-note@+1: main actor-isolated property 'title' cannot satisfy nonisolated requirement
    var title = ""
    func present(text: String) async {}
}
