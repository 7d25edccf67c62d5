// DetailScreen: what the feature presents, and how it is shown.

import NapkinCore
import NapkinElements
import SampleContract

@Observable
final class DetailModel: DetailPresentable {
    let listener: any DetailPresentableListener
    //@toggle@
    @Presented var isOn: Bool = false
    //@end toggle@

    init(listener: any DetailPresentableListener) { self.listener = listener }
}

struct DetailScreen: View {
    let model: DetailModel
    //@stored@

    var body: some View {
        Group {
            //@shown@
            //@toggle@
            Text(model.isOn ? "on" : "off")
            Button("Toggle Detail") { dispatch { await model.listener.didTapToggle() } }
                .keyboardShortcut("t")
            //@end toggle@
            //@leaving@
        }
        .navigationTitle("Detail")
    }
}
