// TeaView: how much tea there is, and how sweet.
//
// Layer      front.
// Isolation  @MainActor.

import KettleContract
import NapkinCore
import NapkinTerminal
import Observation

@Observable
final class TeaView: TeaPresentable, ElementView {
    private let listener: any TeaPresentableListener
    private let arguments: Tea.Arguments
    @Presented private var sugar: Int = 0

    init(listener: any TeaPresentableListener, arguments: Tea.Arguments) {
        self.listener = listener
        self.arguments = arguments
    }

    var title: String? { "Tea" }

    var body: Elements {
        Heading("Tea")
        Text("\(arguments.cups) cups, \(sugar) sugar")
        Button("Sugar") { [listener] in dispatch { await listener.didTapSugar() } }
            .keyboardShortcut("g")
        Button("Back", role: .cancel) { [listener] in dispatch { await listener.didTapBack() } }
            .keyboardShortcut("b")
    }
}
