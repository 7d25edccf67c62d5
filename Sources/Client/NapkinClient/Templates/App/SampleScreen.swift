// SampleScreen: the count, which the app presents, and a button that adds to it.

import NapkinCore
import NapkinElements
import SampleContract

@Observable
final class SampleModel: SamplePresentable {
    let listener: any SamplePresentableListener
    @Presented var count: Int = 0

    init(listener: any SamplePresentableListener) { self.listener = listener }
}

struct SampleScreen: View {
    let model: SampleModel

    var body: some View {
        Group {
            Text("\(model.count)")
            Button("Add") { dispatch { await model.listener.didTapAdd() } }.keyboardShortcut("a")
        }
        .navigationTitle("Sample")
    }
}
