// JobListView: all jobs, queue by queue.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
import NapkinCore
import NapkinTerminal
import Observation

@Observable
final class JobListView: JobListPresentable, ElementView {
    private let listener: any JobListPresentableListener
    private var queues: [(name: String, jobs: [Job], model: ListModel)] = []

    init(listener: any JobListPresentableListener) {
        self.listener = listener
    }

    func present(jobs: [Job]) async {
        queues = Set(jobs.map(\.order.queue)).sorted().map { name in
            let own = jobs.filter { $0.order.queue == name }
            let model = queues.first { $0.name == name }?.model ?? ListModel()
            model.follow(own.count)
            return (name, own, model)
        }
    }

    var body: Elements {
        if queues.isEmpty { Text("Nothing has been submitted yet.").foregroundStyle(.secondary) }
        ForEach(queues) { name, jobs, model in
            GroupBox(name) {
                List(jobs, selection: model) {
                    $0.line
                } primaryAction: { [listener] index in
                    dispatch { await listener.didSelect(jobs[index].id) }
                }
                .id(name)
            }
        }
    }
}
