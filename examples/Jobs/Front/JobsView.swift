// JobsView: a line to write commands on, above a person's own pages.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import FoundationEssentials
import JobsContract
import NapkinFront
import NapkinTerminal
import Observation

@Observable
final class JobsView: JobsPresentable, ElementView, RefusalShowing {
    let listener: any JobsPresentableListener
    var refusal: String?
    private var counts = (running: 0, queued: 0)
    private var news: String?
    private let command = TextFieldModel()

    init(listener: any JobsPresentableListener) {
        self.listener = listener
    }

    func present(running: Int, queued: Int) async { counts = (running, queued) }
    func announce(_ news: String) async { self.news = news }

    func confirmCancel(_ question: String) async throws -> Bool { throw LeftToSurface() }

    private func submit() {
        guard command.text.contains(where: { !$0.isWhitespace }) else { return }
        let here = FileManager.default.currentDirectoryPath
        let order = JobOrder(command: command.text, directory: here)
        command.replace(with: "")
        dispatch { _ = try await $0.submit(order) }
    }

    var title: String? { "Jobs" }

    var banner: Elements {
        if let news {
            Text("✗ \(news)").foregroundStyle(.error)
            Button("Seen") { self.news = nil }.keyboardShortcut("x")
        }
    }

    var body: Elements {
        Heading("JOBS")
        Text("\(counts.running) running · \(counts.queued) queued").foregroundStyle(.secondary)
        ChildView("list")
        TextField("a command; Enter submits it", text: command).onSubmit { self.submit() }
        if let refusal { Text(refusal).foregroundStyle(.error) }
    }
}
