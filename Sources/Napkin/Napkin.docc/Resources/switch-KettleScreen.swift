// KettleScreen: what the kettle presents, and how it is shown, with its switch.

import KettleContract
import NapkinCore
import NapkinElements

@Observable
final class KettleModel: KettlePresentable {
    let listener: any KettlePresentableListener
    @Presented var isOn: Bool = false

    init(listener: any KettlePresentableListener) { self.listener = listener }
}

struct KettleScreen: View {
    let model: KettleModel

    var body: some View {
        Group {
            Text(model.isOn ? "Heating." : "Off.")
            Button(model.isOn ? "Switch off" : "Switch on") {
                dispatch { await model.listener.didTapSwitch() }
            }
            .keyboardShortcut("s")
        }
        .navigationTitle("Kettle")
    }
}
