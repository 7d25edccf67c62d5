// ValueForm: the fields of a method's arguments or of an answer, built from the schema.
//
// Ownership  owned by the dialog that shows it.
// Invariant  its value has the types of the schema, or was typed as JSON.

internal import NapkinCoding
internal import NapkinCore
internal import Observation

@Observable
final class ValueForm {
    let fields: [FormField]
    /// The JSON that a person edits in place of the fields; `nil` while fields are shown.
    var raw: String?
    var rawProblem: String?
    /// The field that has the focus, or gets it because its value is wrong.
    var focused: FormField?
    var isRawFocused = false

    init(_ fields: [FormField]) { self.fields = fields }

    /// Creates a form for a method's arguments.
    convenience init(of method: MethodSchema, _ types: [TypeSchema]) {
        let catalog = FormCatalog(types: types)
        self.init(method.parameters.map { FormField($0.name, $0.type, in: catalog) })
    }

    // MARK: - The value

    /// Returns the only value, or an array of several; if one is wrong, shows the problem and
    /// returns `nil`.
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

    /// Returns the problem with typed JSON: several arguments need an array with one element each.
    private func problem(with datum: Datum) -> String? {
        guard fields.count > 1 else { return nil }
        guard case .array(let items) = datum, items.count == fields.count else {
            return "an array of \(fields.count) arguments is needed"
        }
        return nil
    }

    /// Switches between fields and JSON, which starts with the fields' values.
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
        for part in parts { part.clearProblems() }
    }
}
