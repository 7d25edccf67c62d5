// C5View: whoever is outside waits for the main actor.
//
// Settings   front

import NapkinCore

protocol BoardPresentable: Presentable {
    func present(text: String) async
}

final class BoardView: BoardPresentable {
    private(set) var text = ""
    func present(text: String) async { render(text) }
    func render(_ text: String) { self.text = text }
}

nonisolated func refresh(_ view: BoardView) async {
    await view.render("now")
}
