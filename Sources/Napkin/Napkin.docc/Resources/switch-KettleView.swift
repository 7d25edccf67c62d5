// KettleView: whether the kettle heats, and its switch.
//
// Layer      front.
// Isolation  @MainActor.

import KettleContract
import NapkinCore
import NapkinTerminal
import Observation

@Observable
final class KettleView: KettlePresentable, ElementView {
    private let listener: any KettlePresentableListener
    @Presented private var isOn: Bool = false

    init(listener: any KettlePresentableListener) {
        self.listener = listener
    }

    var body: Elements {
        Heading("Kettle")
        Text(isOn ? "It heats." : "It is off.")
        Button(isOn ? "Switch off" : "Switch on") { [listener] in
            dispatch { await listener.didTapSwitch() }
        }
        .keyboardShortcut("s")
    }
}
