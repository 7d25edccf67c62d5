// JobListScreen: all jobs, queue by queue.

import JobsContract
import NapkinCore
import NapkinElements

@Observable
final class JobListModel: JobListPresentable {
    let listener: any JobListPresentableListener
    @Presented private(set) var jobs: [Job] = []

    init(listener: any JobListPresentableListener) { self.listener = listener }
}

struct JobListScreen: View {
    let model: JobListModel

    var body: some View {
        let queues = Dictionary(grouping: model.jobs, by: \.order.queue)
        if queues.isEmpty { Text("Nothing has been submitted yet.").foregroundStyle(.secondary) }
        ForEach(queues.sorted { $0.key < $1.key }, id: \.key) { name, jobs in
            GroupBox(name) {
                List(jobs) {
                    $0.line
                } primaryAction: { job in
                    dispatch { await model.listener.didSelect(job.id) }
                }
                .followsEnd().id(name)
            }
        }
    }
}
