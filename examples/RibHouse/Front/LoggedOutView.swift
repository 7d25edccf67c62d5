// LoggedOutView: the door: a title, a lede, and one way in.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinCore
import NapkinTerminal
import RibHouseContract

final class LoggedOutView: ElementView {
    private let listener: any LoggedOutPresentableListener

    init(listener: any LoggedOutPresentableListener) {
        self.listener = listener
    }

    var body: Elements {
        Text("RIB HOUSE").bold()
        Text("Low, slow and worth the wait. Your table is ready.").foregroundStyle(.secondary)
        Button("Login") { [listener] in dispatch { await listener.didTapLogin() } }
            .keyboardShortcut("l").padding(.top)
    }
}
