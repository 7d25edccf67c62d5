// KettleView: how warm the water is, a switch, and what the kettle refuses.
//
// Layer      front.
// Isolation  @MainActor.

import KettleContract
import NapkinCore
import NapkinTerminal
import Observation

@Observable
final class KettleView: KettlePresentable, ElementView, RefusalShowing {
    let listener: any KettlePresentableListener
    /// Why the last event of this front was refused.
    var refusal: String?
    private var isOn = false
    @Presented private var degrees: Int = 0
    private var hasWhistled = false

    init(listener: any KettlePresentableListener) {
        self.listener = listener
    }

    func present(isOn: Bool) async {
        self.isOn = isOn
        if isOn { hasWhistled = false }
    }

    func whistle() async { hasWhistled = true }

    var body: Elements {
        Heading("Kettle")
        if hasWhistled { Banner("It boils!") }
        ProgressView("\(degrees) °C", value: Double(degrees) / 100)
        if let refusal { Text(refusal).foregroundStyle(.error) }
        Button(isOn ? "Switch off" : "Switch on") { self.dispatch { try await $0.didTapSwitch() } }
            .keyboardShortcut("s")
        Button("Fill a cup") { self.dispatch { try await $0.fill(cups: 1) } }.keyboardShortcut("f")
        Button("Make tea") { self.dispatch { try await $0.didTapTea() } }.keyboardShortcut("t")
    }
}
