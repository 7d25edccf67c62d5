// AskView: asks a person a question: yes or no, one of several values, or a form.
//
// Ownership  lasts as long as the question is open.

internal import NapkinCoding
package import NapkinCore

package struct Question {
    package let id: UInt64
    package let node: UInt32
    package let method: MethodID
    package let payload: Payload

    package init(id: UInt64, node: UInt32, method: MethodID, payload: Payload) {
        self.id = id
        self.node = node
        self.method = method
        self.payload = payload
    }
}

struct AskView: View {
    /// The kind of answer.
    private enum Way {
        case yesOrNo
        case oneOf([(name: String, value: Datum)])
        case form(ValueForm)
    }

    private let words: [StyledLine]
    private let way: Way
    private let answer: (Payload) -> Void
    private let later: () -> Void

    /// - Parameter method: the method's schema; without it, the answer is typed as JSON.
    init(
        _ question: Question, _ method: MethodSchema?, _ types: [TypeSchema],
        answer: @escaping (Payload) -> Void, later: @escaping () -> Void
    ) {
        words = Self.words(question.payload, method)
        way = Self.way(of: method?.result, types)
        self.answer = answer
        self.later = later
    }

    /// Returns the question's text: a text argument alone, other arguments with their names.
    private static func words(_ payload: Payload, _ method: MethodSchema?) -> [StyledLine] {
        let datum: Datum
        do {
            datum = try Datum(payload)
        } catch {
            return [StyledLine("unreadable: \(error)", .error)]
        }
        if case .text(let text) = datum {
            return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map { StyledLine(String($0)) }
        }
        let names = method?.parameters.map(\.name) ?? []
        if names.count > 1, case .array(let values) = datum, values.count == names.count {
            return zip(names, values).map(line)
        }
        if case .map(let fields) = datum { return fields.map { line($0.key, $0.value) } }
        return datum == .null ? [] : [StyledLine(datum.words)]
    }

    private static func line(_ name: String, _ value: Datum) -> StyledLine {
        StyledLine("\(name): ", .secondary) + StyledLine(value.words)
    }

    private static func way(of result: String?, _ types: [TypeSchema]) -> Way {
        guard let result else { return .form(rawForm(types)) }
        if result == "Bool" { return .yesOrNo }
        let field = FormField("answer", result, in: FormCatalog(types: types))
        switch field.content {
        case .raw(let cases, _):
            let values = cases.indices.map { index -> Datum in
                field.content = .raw(cases, index)
                return field.value() ?? .text(cases[index].key)
            }
            return .oneOf(Array(zip(cases.map(\.key), values)))
        case .choice(let cases, _, _) where cases.allSatisfy { ($0.fields ?? []).isEmpty }:
            return .oneOf(cases.map { ($0.key, .map([Datum.Entry(key: $0.key, value: .map([]))])) })
        default: return .form(ValueForm([field]))
        }
    }

    private static func rawForm(_ types: [TypeSchema]) -> ValueForm {
        let form = ValueForm([FormField("answer", "?", in: FormCatalog(types: types))])
        form.turnRaw()
        return form
    }

    private func submit(_ form: ValueForm) { if let payload = form.payload() { answer(payload) } }

    var body: some View {
        ForEach(Array(words.enumerated()), id: \.offset) { Text($0.element) }
        switch way {
        case .yesOrNo:
            // The button that changes nothing comes first: Enter may already have been pressed.
            Flow {
                Button("No") { answer(Datum.bool(false).payload) }.keyboardShortcut("n")
                Button("Yes") { answer(Datum.bool(true).payload) }.keyboardShortcut("y")
                laterButton
            }
            .padding(.top)
        case .oneOf(let options):
            List(options, id: \.name) {
                Text($0.name)
            } primaryAction: { [answer] in
                answer($0.value.payload)
            }
            .id("options").padding(.top)
            laterButton.padding(.top)
        case .form(let form):
            FormView(form: form) { submit(form) }.padding(.top)
            Flow {
                Button("Answer") { submit(form) }
                RawButton(form: form)
                laterButton
            }
            .padding(.top)
        }
    }

    private var laterButton: some View {
        Button("Later", role: .cancel, action: later).keyboardShortcut(.escape)
    }
}

extension Datum {
    /// The value as text, without a string's quotation marks.
    fileprivate var words: String {
        if case .text(let text) = self { text } else { text }
    }
}
