// C1Conformance: `Presentable` puts the protocol on the main actor, with its view.

import NapkinCore

protocol BoardPresentable: Presentable {
    var title: String { get }
    func present(text: String) async
}

@MainActor
final class BoardView: BoardPresentable {
    var title = ""
    func present(text: String) async {}
}
