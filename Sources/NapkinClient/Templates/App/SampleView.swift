// SampleView: the count, and a button that adds to it.
//
// Layer      front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import Observation
import SampleContract

@Observable
final class SampleView: SamplePresentable, ElementView {
    private let listener: any SamplePresentableListener
    private var count = 0

    init(listener: any SamplePresentableListener) {
        self.listener = listener
    }

    func present(count: Int) async { self.count = count }

    var body: Elements {
        Heading("Sample")
        Text("\(count)")
        Button("Add") { [listener] in dispatch { await listener.didTapAdd() } }
            .keyboardShortcut("a")
    }
}
