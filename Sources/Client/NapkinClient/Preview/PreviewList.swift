// PreviewList: the previews of an app, to choose one on a screen.

import NapkinElements

struct PreviewList: View {
    let names: [String]
    @Binding var selection: String?
    let choose: (String) -> Void

    var body: some View {
        List(names, id: \.self, selection: $selection) {
            Text($0)
        } primaryAction: {
            choose($0)
        }
        .id("previews")
        .keyBindings([KeyBinding(.enter, "Show") { if let selection { choose(selection) } }])
        .navigationTitle("Preview")
    }
}
