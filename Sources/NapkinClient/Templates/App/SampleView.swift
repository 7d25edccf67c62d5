// SampleView: the count, and a button that adds to it.
//
// Layer      front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import SampleContract

final class SampleView: SamplePresentable, ElementView {
    let redraw = Redraw()
    private let listener: any SamplePresentableListener
    private var count = 0

    init(listener: any SamplePresentableListener) {
        self.listener = listener
    }

    func present(count: Int) async {
        self.count = count
        invalidate()
    }

    var body: Elements {
        Heading("Sample")
        Text("\(count)")
        Button("Add", key: .character("a")) { [weak self] in
            dispatch { await self?.listener.didTapAdd() }
        }
    }
}
