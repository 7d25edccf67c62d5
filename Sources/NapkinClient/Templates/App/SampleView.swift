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
    @Presented private var count: Int = 0

    init(listener: any SamplePresentableListener) {
        self.listener = listener
    }

    var body: Elements {
        Heading("Sample")
        Text("\(count)")
        Button("Add") { [listener] in dispatch { await listener.didTapAdd() } }
            .keyboardShortcut("a")
    }
}
