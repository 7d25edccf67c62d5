// ReceiptView: what a person may want to know of a worker's death.

struct ReceiptView: View {
    let message: String
    let app: String
    let number: UInt64
    /// Whether an event of this front was set aside.
    let isSetAside: Bool
    let close: () -> Void

    var body: some View {
        Text(message)
        Text("`napkin-client crash show \(app) \(number)` shows where it happened.").padding(.top)
        if isSetAside {
            Text("What was asked for has ended the worker twice, and is not tried again until")
            Text("`napkin-client crash release \(app) \(number)` says so.")
        }
        Button("Close", role: .cancel, action: close).keyboardShortcut(.escape).padding(.top)
    }
}
