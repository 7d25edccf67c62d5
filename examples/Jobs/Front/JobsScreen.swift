// JobsScreen: a line to write commands on, above a person's own pages.

import FoundationEssentials
import JobsContract
import NapkinElements
import NapkinFront

@Observable
final class JobsModel: JobsPresentable, RefusalShowing {
    let listener: any JobsPresentableListener
    var refusal: String?
    private(set) var counts = (running: 0, queued: 0)
    var news: String?

    init(listener: any JobsPresentableListener) { self.listener = listener }

    func present(running: Int, queued: Int) async { counts = (running, queued) }
    func announce(_ news: String) async { self.news = news }

    func confirmCancel(_ question: String) async throws -> Bool { throw LeftToSurface() }
}

struct JobsScreen: View {
    let model: JobsModel
    @State private var command = ""

    var body: some View {
        Text("\(model.counts.running) running · \(model.counts.queued) queued")
            .foregroundStyle(.secondary)
            .navigationTitle("Jobs")
            .banner {
                if let news = model.news {
                    Text("✗ \(news)").foregroundStyle(.error)
                    Button("Seen") { model.news = nil }.keyboardShortcut("x")
                }
            }
        ChildView(JobList.self)
        TextField("a command; Enter submits it", text: $command).onSubmit { submit() }
        if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
    }

    private func submit() {
        guard command.contains(where: { !$0.isWhitespace }) else { return }
        let here = FileManager.default.currentDirectoryPath
        model.dispatch(emptying: $command) {
            _ = try await $0.submit(JobOrder(command: $1, directory: here))
        }
    }
}
