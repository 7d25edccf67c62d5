// DetailView: how the feature looks in a terminal.
//
// Layer      front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import Observation
import SampleContract

@Observable
final class DetailView: DetailPresentable, ElementView {
    private let listener: any DetailPresentableListener
    //@stored@
    @Presented private var isOn: Bool = false

    //@init@

    var body: Elements {
        Heading("Detail")
        //@shown@
        Text(isOn ? "on" : "off")
        Button("Toggle Detail") { [listener] in dispatch { await listener.didTapToggle() } }
            .keyboardShortcut("t")
        //@leaving@
    }
}
