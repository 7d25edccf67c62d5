// ReceiptView: what a person may want to know of a worker's death.

struct ReceiptView: View {
    let message: String
    let app: String
    let number: UInt64
    let matter: Matter
    let close: () -> Void

    /// What has come of the death.
    enum Matter {
        /// Nothing but that this front's worker was restarted.
        case restart
        /// An event of this front was set aside.
        case setAside
        /// The session was taken back to an earlier record.
        case takenBack
    }

    var body: some View {
        Text(message)
        Text("`napkin-client crash show \(app) \(number)` shows where it happened.").padding(.top)
        switch matter {
        case .restart: EmptyView()
        case .setAside:
            Text("What was asked for has ended the worker twice, and is not tried again until")
            Text("`napkin-client crash release \(app) \(number)` says so.")
        case .takenBack:
            Text("It also names the file with the newer changes, from which")
            Text("`napkin-client ledger import` creates a session of another name.")
        }
        Button("Close", role: .cancel, action: close).keyboardShortcut(.escape).padding(.top)
    }
}
