// JobDetailView: a job, and what it prints.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
import NapkinCore
import NapkinTerminal
import Observation

@Observable
final class JobDetailView: JobDetailPresentable, ElementView, RefusalShowing, LogFollower {
    /// Lines that are kept. Chosen: as many as the worker keeps.
    private static let linesMax = 10_000

    let listener: any JobDetailPresentableListener
    var refusal: String?
    private let id: Int
    private var job: Job?
    private var lines: [Text] = []
    private let output = ListModel()

    init(listener: any JobDetailPresentableListener, arguments: JobDetail.Arguments) {
        self.listener = listener
        id = arguments.id
    }

    func present(job: Job) async { self.job = job }

    func output(_ line: String) async {
        add(Text(line).foregroundStyle(line.hasPrefix("$ ") ? .accent : .plain))
    }

    func skipped(_ gap: LogGap) {
        add(Text("… \(gap.items.count) lines skipped …").foregroundStyle(.secondary))
    }

    private func add(_ line: Text) {
        lines.append(line)
        output.follow(lines.count)
        if lines.count > Self.linesMax {
            lines.removeFirst(Self.linesMax / 2)
        }
    }

    var title: String? { "Job \(id)" }

    var body: Elements {
        Heading("Job \(id)")
        if let job {
            let (glyph, role) = job.state.sign
            let place = "queue \(job.order.queue)" + (job.order.directory.map { " in \($0)" } ?? "")
            let facts = [job.state.rawValue, job.duration, place].filter { !$0.isEmpty }
            Text("\(glyph) ").foregroundStyle(role) + Text(facts.joined(separator: " · "))
            if let progress = job.progress { ProgressView(value: progress) }
        }
        if let refusal { Text(refusal).foregroundStyle(.error) }
        GroupBox("output") { List(lines, selection: output) { $0 } }.frame(maxHeight: .infinity)
        Flow {
            let isOver = job?.hasEnded == true
            Button(isOver ? "Retry" : "Cancel") {
                self.dispatch { try await isOver ? $0.didTapRetry() : $0.didTapCancel() }
            }
            .keyboardShortcut(.character(isOver ? "r" : "c"))
            Button("Back", role: .cancel) { self.dispatch { await $0.didTapBack() } }
                .keyboardShortcut("b")
        }
    }
}
