// Form: a method's arguments, or an answer, as fields that follow the schema.
//
// Layer      terminal, generic front.
// Isolation  @MainActor.
// Ownership  owned by the dialog that shows it.
// Invariant  its value has the types that the schema names, or was written as JSON.

internal import NapkinCoding
internal import NapkinCore
internal import Observation

/// Fields for one or several values, which are checked before they are sent.
@Observable
final class Form {
    /// The least width for fields beside their names, in cells. Chosen.
    private static let besideFrom = 28
    let fields: [FormField]
    /// The JSON field that replaces the fields, if a person wants that.
    private(set) var raw: TextFieldModel?
    private var rawProblem: String?
    /// The field that has the focus, or is to have it because it is wrong.
    private var focused: FormField?
    private var isRawFocused = false

    init(_ fields: [FormField]) {
        self.fields = fields
    }

    /// Creates a form for a method's arguments.
    convenience init(of method: MethodSchema, _ types: [TypeSchema]) {
        let catalog = FormCatalog(types: types)
        self.init(method.parameters.map { FormField($0.name, $0.type, in: catalog) })
    }

    // MARK: - The value

    /// Returns one value itself, several as an array; `nil` if something is wrong, which is then
    /// shown.
    func payload() -> Payload? {
        if let raw {
            switch Scalar.json(raw.text) {
            case .success(let datum):
                guard let problem = problem(with: datum) else { return datum.payload }
                rawProblem = problem
            case .failure(let problem): rawProblem = problem.text
            }
            isRawFocused = true
            return nil
        }
        let values = fields.map { $0.value() }
        guard !values.contains(nil) else {
            focused = fields.lazy.compactMap(\.firstWrong).first
            return nil
        }
        return Self.joined(values.compactMap(\.self)).payload
    }

    private static func joined(_ values: [Datum]) -> Datum {
        values.count == 1 ? values[0] : .array(values)
    }

    /// Returns what is wrong. Several arguments are an array with as many elements.
    private func problem(with datum: Datum) -> String? {
        guard fields.count > 1 else { return nil }
        guard case .array(let items) = datum, items.count == fields.count else {
            return "an array of \(fields.count) arguments is wanted"
        }
        return nil
    }

    /// Switches between fields and JSON. The JSON begins with the content of the fields.
    func turnRaw() {
        guard raw == nil else {
            raw = nil
            return
        }
        let values = fields.map(\.draft)
        for field in fields { field.clearProblems() }
        raw = TextFieldModel(Self.joined(values).text)
        rawProblem = nil
        isRawFocused = true
    }

    // MARK: - Elements

    /// Switches between fields and JSON.
    var rawButton: Button {
        Button(raw == nil ? "JSON" : "Fields") { self.turnRaw() }.keyboardShortcut(.control("r"))
    }

    /// - Parameter submit: called on Enter in a field.
    func elements(_ submit: @escaping () -> Void) -> Elements {
        if let raw {
            return Elements([
                Text("as JSON").foregroundStyle(.secondary),
                TextField(text: raw, problem: rawProblem)
                    .onSubmit(submit).onChange { self.rawProblem = nil }
                    .id("json").focused(Binding(self, \.isRawFocused)),
            ])
        }
        return Elements(fields.flatMap { elements(of: $0, $0.label, submit) })
    }

    private func elements(
        of field: FormField, _ path: String, _ submit: @escaping () -> Void
    ) -> [any Element] {
        switch field.content {
        case .scalar(_, let model), .json(let model):
            let isFocused = Binding(
                get: { self.focused === field }, set: { self.focused = $0 ? field : nil })
            return line(
                field,
                TextField(field.hint, text: model, problem: field.problem)
                    .onSubmit(submit).onChange { field.problem = nil }
                    .id(path).focused(isFocused).frame(maxWidth: .infinity))
        case .toggle(let isOn):
            let binding = Binding(get: { isOn }, set: { field.content = .toggle($0) })
            return [Toggle(field.label, isOn: binding).id(path)]
        case .raw(let cases, let index):
            let binding = Binding(get: { index }, set: { field.content = .raw(cases, $0) })
            return line(field, Picker(path, selection: binding, options: cases.map(\.key)))
                + (field.problem.map { [Text("✗ \($0)").foregroundStyle(.error)] } ?? [])
        case .choice(let cases, let index, let parts):
            let binding = Binding(
                get: { index },
                set: { field.content = .choice(cases, $0, field.parts(of: cases[$0])) })
            return line(field, Picker(path, selection: binding, options: cases.map(\.key)))
                + [inside(parts, path, submit)]
        case .structure(let parts):
            return [Text(field.label).foregroundStyle(.accent), inside(parts, path, submit)]
        case .optional(let type, let wrapped):
            let isThere = Binding(
                get: { wrapped != nil },
                set: { field.content = .optional(type, $0 ? field.part(field.label, type) : nil) })
            return [Toggle(field.label, isOn: isThere).id(path)]
                + (wrapped.map { [inside([$0], path, submit)] } ?? [])
        case .array(let type, let items):
            return array(field, type, items, path, submit)
        }
    }

    private func line(_ field: FormField, _ element: any Element) -> [any Element] {
        let row = HStack(spacing: 1, stackedBelow: Self.besideFrom) {
            Text(field.label + ":").foregroundStyle(.accent)
            element
        }
        return [row]
    }

    private func inside(
        _ parts: [FormField], _ path: String, _ submit: @escaping () -> Void
    ) -> any Element {
        Elements(
            parts.enumerated().flatMap { elements(of: $1, "\(path).\($0).\($1.label)", submit) }
        ).padding(.leading)
    }

    private func array(
        _ field: FormField, _ type: TypeReference, _ items: [FormField], _ path: String,
        _ submit: @escaping () -> Void
    ) -> [any Element] {
        let buttons = Flow {
            Text("\(field.label):").foregroundStyle(.accent)
            Text(items.count == 1 ? "1 item" : "\(items.count) items").foregroundStyle(.secondary)
            Button("+ \(field.label)") {
                field.content = .array(type, items + [field.part("\(items.count + 1)", type)])
            }
            if !items.isEmpty {
                Button("− \(field.label)") { field.content = .array(type, items.dropLast()) }
            }
        }
        return [buttons, inside(items, path, submit)]
    }
}

extension FormField {
    /// The expected value, shown while nothing is written.
    fileprivate var hint: String {
        switch content {
        case .json: "\(typeName) as JSON"
        default: typeName
        }
    }

    fileprivate func clearProblems() {
        problem = nil
        switch content {
        case .choice(_, _, let parts), .structure(let parts), .array(_, let parts):
            for part in parts { part.clearProblems() }
        case .optional(_, let wrapped): wrapped?.clearProblems()
        default: break
        }
    }
}
