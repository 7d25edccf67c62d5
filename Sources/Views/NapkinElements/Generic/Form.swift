// Form: a method's arguments, or an answer, as fields that follow the schema.
//
// Ownership  owned by the dialog that shows it.
// Invariant  its value has the types that the schema names, or was written as JSON.

internal import NapkinCoding
internal import NapkinCore
internal import Observation

/// Fields for one or several values, which are checked before they are sent.
@Observable
final class Form {
    let fields: [FormField]
    /// The JSON that replaces the fields, if a person wants that.
    var raw: String?
    var rawProblem: String?
    /// The field that has the focus, or is to have it because it is wrong.
    var focused: FormField?
    var isRawFocused = false

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
            switch Scalar.json(raw) {
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
            return "an array of \(fields.count) arguments is needed"
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
        raw = Self.joined(values).text
        rawProblem = nil
        isRawFocused = true
    }
}

extension FormField {
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
