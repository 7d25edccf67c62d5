// LoggedOutScreen: the door: a title, a lede, and one way in.

import NapkinCore
import NapkinElements
import RibHouseContract

struct LoggedOutScreen: View {
    let listener: any LoggedOutPresentableListener

    var body: some View {
        Text("RIB HOUSE").bold()
        Text("Low, slow and worth the wait. Your table is ready.").foregroundStyle(.secondary)
        Button("Login") { dispatch { await listener.didTapLogin() } }
            .keyboardShortcut("l").padding(.top)
    }
}
