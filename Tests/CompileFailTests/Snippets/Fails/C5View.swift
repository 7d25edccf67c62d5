// C5View: a view's own helper, called from outside of the main actor.
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
    // expected-error@+1: main actor-isolated instance method 'render' cannot be called
    view.render("now")
}
