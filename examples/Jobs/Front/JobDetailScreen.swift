// JobDetailScreen: a job, and what it prints.

import JobsContract
import NapkinCore
import NapkinElements

@Observable
final class JobDetailModel: JobDetailPresentable, RefusalShowing, LogFollower {
    /// A line of output, or where some are missing.
    struct Line: Identifiable {
        let id: Int
        let text: String
        let role: TextRole
    }

    /// Lines that are kept. Chosen: as many as the worker keeps.
    private static let linesMax = 10_000

    let listener: any JobDetailPresentableListener
    var refusal: String?
    private(set) var job: Job?
    private(set) var lines: [Line] = []

    init(listener: any JobDetailPresentableListener) { self.listener = listener }

    func present(job: Job) async { self.job = job }

    func output(_ line: String) async { add(line, line.hasPrefix("$ ") ? .accent : .plain) }

    func skipped(_ gap: LogGap) { add("… \(gap.items.count) lines skipped …", .secondary) }

    private func add(_ text: String, _ role: TextRole) {
        lines.append(Line(id: (lines.last?.id ?? 0) + 1, text: text, role: role))
        if lines.count > Self.linesMax { lines.removeFirst(Self.linesMax / 2) }
    }
}

struct JobDetailScreen: View {
    let id: Int
    let model: JobDetailModel

    var body: some View {
        VStack {
            if let job = model.job {
                job.facts
                if let progress = job.progress { ProgressView(value: progress) }
            }
            if let refusal = model.refusal { Text(refusal).foregroundStyle(.error) }
        }
        .navigationTitle("Job \(id)")
        GroupBox("output") {
            List(model.lines) { Text($0.text).foregroundStyle($0.role) }.followsEnd()
        }
        .frame(maxHeight: .infinity)
        Flow {
            if model.job?.hasEnded == true {
                Button("Retry") { model.dispatch { try await $0.didTapRetry() } }
                    .keyboardShortcut("r")
            } else {
                Button("Cancel") { model.dispatch { try await $0.didTapCancel() } }
                    .keyboardShortcut("c")
            }
            Button("Back", role: .cancel) { model.dispatch { await $0.didTapBack() } }
                .keyboardShortcut("b")
        }
    }
}
