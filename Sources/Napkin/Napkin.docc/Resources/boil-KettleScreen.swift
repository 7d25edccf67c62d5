// KettleScreen: how warm the water is, a switch, and what the kettle refuses.

import KettleContract
import NapkinCore
import NapkinElements

@Observable
final class KettleModel: KettlePresentable, RefusalShowing {
    let listener: any KettlePresentableListener
    /// Why the last event of this front was refused.
    var refusal: String?
    private(set) var isOn = false
    @Presented var degrees: Int = 0
    private(set) var hasWhistled = false

    init(listener: any KettlePresentableListener) { self.listener = listener }

    func present(isOn: Bool) async {
        self.isOn = isOn
        if isOn { hasWhistled = false }
    }

    func whistle() async { hasWhistled = true }
}

struct KettleScreen: View {
    let model: KettleModel

    var body: some View {
        Group {
            if model.hasWhistled { Banner("It boils!") }
            ProgressView("\(model.degrees) °C", value: Double(model.degrees) / 100)
            if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
            Button(model.isOn ? "Switch off" : "Switch on") {
                model.dispatch { try await $0.didTapSwitch() }
            }
            .keyboardShortcut("s")
            Button("Fill a cup") { model.dispatch { try await $0.fill(cups: 1) } }
                .keyboardShortcut("f")
        }
        .navigationTitle("Kettle")
    }
}
