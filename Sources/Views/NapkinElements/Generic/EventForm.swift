// EventForm: asks a person for an event's arguments, and sends the event once they are valid.
//
// Ownership  lasts as long as its dialog.

internal import NapkinCore

struct EventForm: View {
    private let form: Form
    private let send: (Payload) -> Void
    private let cancel: () -> Void

    init(
        _ method: MethodSchema, _ types: [TypeSchema], send: @escaping (Payload) -> Void,
        cancel: @escaping () -> Void
    ) {
        form = Form(of: method, types)
        self.send = send
        self.cancel = cancel
    }

    private func submit() {
        guard let payload = form.payload() else { return }
        send(payload)
    }

    var body: some View {
        FormView(form: form) { submit() }
        Flow {
            Button("Send") { submit() }
            RawButton(form: form)
            Button("Cancel", role: .cancel, action: cancel).keyboardShortcut(.escape)
        }
        .padding(.top)
    }
}
