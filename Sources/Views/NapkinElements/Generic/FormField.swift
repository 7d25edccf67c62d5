// FormField: one value of a form, edited according to its type in the schema.
//
// Ownership  owned by its form; owns the typed text.
// Invariant  parts of optionals, arrays and enums are created only when chosen, since a type may
//            contain itself.
// Spec       Protocol/SPEC.md, section 13 (Schema)

internal import NapkinCoding
internal import NapkinCore
internal import Observation

/// The types of a form's fields.
final class FormCatalog {
    /// The most levels of a form; a deeper value is typed as JSON. Chosen: each one indents.
    static let levelsMax = 8
    /// The most fields created at once; the others are typed as JSON. Chosen: some screens of them.
    private static let fieldsMax = 512
    let types: [TypeSchema]
    private var left = fieldsMax

    init(types: [TypeSchema]) { self.types = types }

    /// Resets the count of fields for the parts of one value.
    fileprivate func begin() { left = Self.fieldsMax }

    /// Counts a field; returns whether it may be created.
    fileprivate func takesOne(at level: Int) -> Bool {
        left -= 1
        return level < Self.levelsMax && left > 0
    }

    func schema(_ name: String) -> TypeSchema? { types.first { $0.name == name } }
}

@Observable
final class FormField {
    enum Content {
        /// A scalar type's name and the typed text or number.
        case scalar(String, String)
        case toggle(Bool)
        /// The cases of a raw type and the selected one.
        case raw([CaseSchema], Int)
        /// The cases of an enum, the selected one, and the fields of its values.
        case choice([CaseSchema], Int, [FormField])
        case structure([FormField])
        case optional(TypeReference, FormField?)
        case array(TypeReference, [FormField])
        case json(String)
    }

    let label: String
    /// The type's name as the schema refers to it.
    let typeName: String
    var content: Content
    /// A sentence about the value's problem.
    var problem: String?
    let catalog: FormCatalog
    private let level: Int

    convenience init(_ label: String, _ reference: String, in catalog: FormCatalog) {
        catalog.begin()
        self.init(label, TypeReference(reference), catalog, 0)
    }

    private init(_ label: String, _ type: TypeReference, _ catalog: FormCatalog, _ level: Int) {
        self.label = label
        typeName = type.text
        self.catalog = catalog
        self.level = level
        content = Self.content(of: type, catalog, level)
    }

    func part(_ label: String, _ type: TypeReference) -> FormField {
        catalog.begin()
        return FormField(label, type, catalog, level + 1)
    }

    /// Creates the fields for a case's values.
    func parts(of choice: CaseSchema) -> [FormField] {
        (choice.fields ?? []).map { part($0.key, $0.reference) }
    }

    private static func content(
        of type: TypeReference, _ catalog: FormCatalog, _ level: Int
    ) -> Content {
        guard catalog.takesOne(at: level) else { return .json("") }
        switch type {
        case .optional(let wrapped): return .optional(wrapped, nil)
        case .array(let element): return .array(element, [])
        case .bytes: return .scalar("[UInt8]", "")
        case .dictionary: return .json("{}")
        case .named("Bool"): return .toggle(false)
        case .named(let name):
            if let schema = catalog.schema(name) { return content(of: schema, catalog, level) }
            return Scalar.isKnown(name)
                ? .scalar(name, "") : .json("")
        }
    }

    private static func content(
        of schema: TypeSchema, _ catalog: FormCatalog, _ level: Int
    ) -> Content {
        func field(_ field: FieldSchema) -> FormField {
            FormField(field.key, field.reference, catalog, level + 1)
        }
        switch schema.kind {
        case .structure: return .structure((schema.fields ?? []).map(field))
        case .choice:
            guard let cases = schema.cases, let first = cases.first else { break }
            return .choice(cases, 0, (first.fields ?? []).map(field))
        case .raw:
            if let cases = schema.cases, !cases.isEmpty { return .raw(cases, 0) }
            if let raw = schema.raw { return content(of: TypeReference(raw), catalog, level + 1) }
        default: break
        }
        return .json("")
    }

    // MARK: - The value

    /// The typed text; `nil` if the field is not a text field.
    var text: String? {
        get {
            switch content {
            case .scalar(_, let text), .json(let text): text
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch content {
            case .scalar(let name, _): content = .scalar(name, newValue)
            case .json: content = .json(newValue)
            default: return
            }
            problem = nil
        }
    }

    /// Returns the value; `nil` if it is wrong, with the reason in `problem`.
    func value() -> Datum? {
        problem = nil
        switch content {
        case .scalar(let name, let text): return noting(Scalar.value(of: text, as: name))
        case .toggle(let isOn): return .bool(isOn)
        case .raw(let cases, let index): return noting(raw(cases[index]))
        case .choice(let cases, let index, let parts):
            return Self.map(parts).map { .map([Datum.Entry(key: cases[index].key, value: $0)]) }
        case .structure(let parts): return Self.map(parts)
        case .optional(_, let wrapped): return wrapped == nil ? .null : wrapped?.value()
        case .array(_, let items):
            let values = items.map { $0.value() }
            return values.contains(nil) ? nil : .array(values.compactMap(\.self))
        case .json(let text): return noting(Scalar.json(text))
        }
    }

    /// The value typed so far, with `null` in place of wrong values.
    var draft: Datum {
        switch content {
        case .choice(let cases, let index, let parts):
            .map([Datum.Entry(key: cases[index].key, value: Self.draft(parts))])
        case .structure(let parts): Self.draft(parts)
        case .optional(_, let wrapped): wrapped?.draft ?? .null
        case .array(_, let items): .array(items.map(\.draft))
        default: value() ?? .null
        }
    }

    private static func draft(_ parts: [FormField]) -> Datum {
        .map(
            parts.compactMap { part in
                if case .optional(_, nil) = part.content { return nil }
                return Datum.Entry(key: part.label, value: part.draft)
            })
    }

    private func noting(_ result: Result<Datum, FormProblem>) -> Datum? {
        switch result {
        case .success(let value): return value
        case .failure(let problem):
            self.problem = problem.text
            return nil
        }
    }

    /// Returns the parts as a map. Checks all parts, so that each wrong one shows its problem.
    /// Omits absent parts: an optional field is left out and never `null`.
    private static func map(_ parts: [FormField]) -> Datum? {
        var entries: [Datum.Entry] = []
        var isWhole = true
        for part in parts {
            guard let value = part.value() else {
                isWhole = false
                continue
            }
            if case .optional(_, nil) = part.content { continue }
            entries.append(Datum.Entry(key: part.label, value: value))
        }
        return isWhole ? .map(entries) : nil
    }

    /// Returns the listed value of a case, as the raw type.
    private func raw(_ choice: CaseSchema) -> Result<Datum, FormProblem> {
        let name = TypeReference(typeName)
        var type = "String"
        if case .named(let name) = name { type = catalog.schema(name)?.raw ?? type }
        return Scalar.value(of: choice.value ?? choice.key, as: type)
    }

    var firstWrong: FormField? {
        if problem != nil { return self }
        for part in parts {
            if let wrong = part.firstWrong { return wrong }
        }
        return nil
    }

    var parts: [FormField] {
        switch content {
        case .choice(_, _, let parts), .structure(let parts), .array(_, let parts): parts
        case .optional(_, let wrapped): wrapped.map { [$0] } ?? []
        default: []
        }
    }
}

extension FieldSchema {
    /// The type, as an optional if the field may be left out.
    fileprivate var reference: TypeReference {
        let type = TypeReference(type)
        return hasDefault == true ? .optional(type) : type
    }
}

extension TypeReference {
    /// The type as the schema spells it.
    fileprivate var text: String {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.text + "?"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
        case .bytes: "[UInt8]"
        }
    }
}
