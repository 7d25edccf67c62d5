// FormView: a form's fields on a screen.

internal import NapkinCore
internal import NapkinTransport

/// The least width for labels beside the fields, in cells. Chosen: some words, and a short field.
private let besideFrom = 28
/// The width of a field if there is room, in cells. Chosen: all of a dialog.
private let fieldWidth = 92

struct FormView: View {
    let form: ValueForm
    /// Called when Enter is pressed in a field.
    let submit: () -> Void

    var body: some View {
        VStack {
            if form.raw != nil {
                Text("as JSON").foregroundStyle(.secondary)
                TextField(text: json, problem: form.rawProblem)
                    .id("json").focused(Binding(form, \.isRawFocused))
            } else {
                ForEach(form.fields, id: \.label) { field in
                    FieldView(field: field, path: field.label, form: form)
                }
            }
        }
        .onSubmit(submit)
    }

    private var json: Binding<String> {
        Binding(
            get: { form.raw ?? "" },
            set: {
                form.raw = $0
                form.rawProblem = nil
            })
    }
}

/// A button that switches between fields and JSON.
struct RawButton: View {
    let form: ValueForm

    var body: some View {
        Button(form.raw == nil ? "JSON" : "Fields") { form.turnRaw() }
            .keyboardShortcut(.control("r"))
    }
}

private struct FieldView: View {
    let field: FormField
    let path: String
    let form: ValueForm

    var body: some View {
        switch field.content {
        case .scalar(_, let text), .json(let text): named(textField(text))
        case .toggle(let isOn):
            let binding = Binding(get: { isOn }, set: { field.content = .toggle($0) })
            Toggle(field.label, isOn: binding).id(path).accessibilityLabel(field.label)
        case .raw(let cases, let index):
            let binding = Binding(get: { index }, set: { field.content = .raw(cases, $0) })
            named(picker(path, binding, cases))
            if let problem = field.problem { Text("✗ \(problem)").foregroundStyle(.error) }
        case .choice(let cases, let index, let parts):
            let binding = Binding(
                get: { index },
                set: { field.content = .choice(cases, $0, field.parts(of: cases[$0])) })
            named(picker(path, binding, cases))
            inside(parts)
        case .structure(let parts):
            Text(field.label).foregroundStyle(.accent)
            inside(parts)
        case .optional(let type, let wrapped):
            let isThere = Binding(
                get: { wrapped != nil },
                set: { field.content = .optional(type, $0 ? field.part(field.label, type) : nil) })
            Toggle(field.label, isOn: isThere).id(path).accessibilityLabel(field.label)
            if let wrapped { inside([wrapped]) }
        case .array(let type, let items):
            buttons(type, items)
            inside(items)
        }
    }

    private func named(_ content: some View) -> some View {
        HStack(spacing: 1, stackedBelow: besideFrom) {
            Text(field.label + ":").foregroundStyle(.accent)
            content
        }
    }

    private func picker(
        _ path: String, _ selection: Binding<Int>, _ cases: [CaseSchema]
    ) -> some View {
        Picker(path, selection: selection, options: cases.map(\.key))
            .accessibilityLabel(field.label)
    }

    private func textField(_ text: String) -> some View {
        let isFocused = Binding(
            get: { form.focused === field }, set: { form.focused = $0 ? field : nil })
        let binding = Binding(get: { field.text ?? text }, set: { field.text = $0 })
        return TextField(field.hint, text: binding, problem: field.problem)
            .id(path).focused(isFocused).accessibilityLabel(field.label)
            .frame(idealWidth: fieldWidth, maxWidth: .infinity)
    }

    private func inside(_ parts: [FormField]) -> some View {
        VStack {
            ForEach(Array(parts.enumerated()), id: \.offset) { index, part in
                // A type may contain itself.
                AnyView(FieldView(field: part, path: "\(path).\(index).\(part.label)", form: form))
            }
        }
        .padding(.leading)
    }

    private func buttons(_ type: TypeReference, _ items: [FormField]) -> some View {
        Flow {
            Text("\(field.label):").foregroundStyle(.accent)
            Text(items.count.counted("item")).foregroundStyle(.secondary)
            Button("+ \(field.label)") {
                field.content = .array(type, items + [field.part("\(items.count + 1)", type)])
            }
            if !items.isEmpty {
                Button("− \(field.label)") { field.content = .array(type, items.dropLast()) }
            }
        }
    }
}

extension FormField {
    /// The expected type, shown in an empty field.
    fileprivate var hint: String {
        switch content {
        case .json: "\(typeName) as JSON"
        default: typeName
        }
    }
}

struct EventForm: View {
    private let form: ValueForm
    private let send: (Payload) -> Void
    private let cancel: () -> Void

    init(
        _ method: MethodSchema, _ types: [TypeSchema], send: @escaping (Payload) -> Void,
        cancel: @escaping () -> Void
    ) {
        form = ValueForm(of: method, types)
        self.send = send
        self.cancel = cancel
    }

    private func submit() { if let payload = form.payload() { send(payload) } }

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
