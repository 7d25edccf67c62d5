// DetailView: how the feature looks in a terminal.
//
// Layer      front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import SampleContract

final class DetailView: DetailPresentable, ElementView {
    let redraw = Redraw()
    private let listener: any DetailPresentableListener
    private var isOn = false

    init(listener: any DetailPresentableListener) {
        self.listener = listener
    }

    func present(isOn: Bool) async {
        self.isOn = isOn
        invalidate()
    }

    var body: Elements {
        Heading("Detail")
        Text(isOn ? "on" : "off")
        Button("Toggle Detail", key: .character("t")) { [weak self] in
            dispatch { await self?.listener.didTapToggle() }
        }
    }
}
