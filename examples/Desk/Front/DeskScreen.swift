// DeskScreen: the questions, a person's own pages, and a line to write commands on.

import DeskContract
import FoundationEssentials
import NapkinCore
import NapkinElements
import NapkinFront

@Observable
final class DeskModel: DeskPresentable, RefusalShowing {
    let listener: any DeskPresentableListener
    var refusal: String?
    private(set) var counts = (running: 0, waiting: 0)
    @Presented private(set) var questions: [Question] = []
    var news: String?

    init(listener: any DeskPresentableListener) { self.listener = listener }

    var open: [Question] { questions.filter { $0.answer == nil } }

    func present(running: Int, waiting: Int) async { counts = (running, waiting) }
    func announce(_ news: String) async { self.news = news }
}

struct DeskScreen: View {
    let model: DeskModel
    var place = Place()
    @State private var command = ""
    @State private var isOrdering = false
    @State private var order = Order(command: "")

    var body: some View {
        let isOnRun = place.runs > 0
        let counts = "\(model.counts.running) running · \(model.counts.waiting) waiting"
        Group { if !isOnRun { Text(counts).foregroundStyle(.secondary) } }
            .navigationTitle("Desk")
            .attention(to: model.open) { $0.words }
            .banner {
                if let news = model.news {
                    Text("✗ \(news)").foregroundStyle(.error)
                    Button("Seen") { model.news = nil }.keyboardShortcut("x")
                }
                if let question = model.open.first {
                    QuestionLine(question: question, others: model.open.count - 1, model: model)
                }
            }
            .sheet("New run", isPresented: $isOrdering) {
                OrderForm(order: $order, refusal: model.refusal, submit: submitOrder)
            }
        ForEach(isOnRun ? [] : model.questions.filter { $0.answer != nil }) { question in
            Text("✓ \(question.words) \(question.answer?.choice ?? "no answer")")
                .foregroundStyle(.secondary)
                + Text(" (\(question.answer?.by ?? ""))").foregroundStyle(.secondary)
        }
        ChildView(RunList.self)
        if !isOnRun {
            HStack {
                TextField("a command; Enter runs it", text: $command).onSubmit { submit() }
                    .id("command")
                Button("More") { open() }
            }
        }
        if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
    }

    private func submit() {
        guard command.contains(where: { !$0.isWhitespace }) else { return }
        let here = FileManager.default.currentDirectoryPath
        model.dispatch(emptying: $command) {
            _ = try await $0.run(Order(command: $1, directory: here), environment: [:])
        }
    }

    private func open() {
        order = Order(command: command, directory: FileManager.default.currentDirectoryPath)
        model.refusal = nil
        isOrdering = true
    }

    /// Closes the form once the run is accepted: a refused one can be corrected.
    private func submitOrder() {
        model.dispatch { [order] in
            _ = try await $0.run(order, environment: [:])
            command = ""
            isOrdering = false
        }
    }
}

/// A question with its choices.
private struct QuestionLine: View {
    let question: Question
    /// How many others wait behind it.
    let others: Int
    let model: DeskModel

    var body: some View {
        Flow {
            Text("? \(question.words)" + (others > 0 ? " (and \(others) more)" : ""))
                .foregroundStyle(.warning)
            ForEach(question.choices, id: \.self) { choice in
                Button(choice) { answer(choice) }
            }
        }
    }

    private func answer(_ choice: String) {
        model.dispatch { [question] in try await $0.answer(question.id, choice) }
    }
}

extension Question {
    /// `run 3: Deploy?`
    fileprivate var words: String { (run.map { "run \($0): " } ?? "") + text }
}

/// What a run may be given besides its command.
private struct OrderForm: View {
    @Binding var order: Order
    let refusal: String?
    let submit: () -> Void

    var body: some View {
        Form {
            field("Command", $order.command)
            field("Name", text(\.name))
            field("Queue", text(\.queue))
            field("Directory", text(\.directory))
            field("At", text(\.at), "22:30, mon 7:00, 10m")
            field("Every", text(\.every), "15m, weekdays 07:00")
        }
        if let refusal { Text(refusal).foregroundStyle(.error) }
        Button("Run") { submit() }
    }

    private func field(
        _ name: String, _ value: Binding<String>, _ prompt: String = ""
    ) -> some View {
        LabeledContent(name) { TextField(prompt, text: value).onSubmit(submit).id(name) }
    }

    /// An empty text is none.
    private func text(_ value: WritableKeyPath<Order, String?>) -> Binding<String> {
        Binding(
            get: { order[keyPath: value] ?? "" },
            set: { order[keyPath: value] = $0.isEmpty ? nil : $0 })
    }
}
