// TeaScreen: how much tea there is, and how sweet.

import KettleContract
import NapkinCore
import NapkinElements

@Observable
final class TeaModel: TeaPresentable {
    let listener: any TeaPresentableListener
    @Presented var sugar: Int = 0

    init(listener: any TeaPresentableListener) { self.listener = listener }
}

struct TeaScreen: View {
    let model: TeaModel
    let arguments: Tea.Arguments

    var body: some View {
        Group {
            Text("\(arguments.cups) cups, \(model.sugar) sugar")
            Button("Sugar") { dispatch { await model.listener.didTapSugar() } }
                .keyboardShortcut("g")
            Button("Back", role: .cancel) { dispatch { await model.listener.didTapBack() } }
                .keyboardShortcut("b")
        }
        .navigationTitle("Tea")
    }
}
