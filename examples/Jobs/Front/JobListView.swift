// JobListView: all jobs, queue by queue.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
import NapkinCore
import NapkinTerminal

final class JobListView: JobListPresentable, ElementView {
    let redraw = Redraw()
    private let listener: any JobListPresentableListener
    private var queues: [(name: String, jobs: [Job])] = []
    private var models: [String: ListModel] = [:]

    init(listener: any JobListPresentableListener) {
        self.listener = listener
    }

    func present(jobs: [Job]) async {
        let names = Set(jobs.map(\.order.queue)).sorted()
        queues = names.map { name in (name, jobs.filter { $0.order.queue == name }) }
        for (name, jobs) in queues { model(of: name).follow(jobs.count) }
        invalidate()
    }

    private func model(of queue: String) -> ListModel {
        if let model = models[queue] { return model }
        let model = ListModel()
        models[queue] = model
        return model
    }

    var body: Elements {
        if queues.isEmpty { Text("Nothing has been submitted yet.", .dim) }
        for (name, jobs) in queues {
            Box(name) {
                List(jobs.map { $0.line }, model: model(of: name), id: name) { [weak self] index in
                    dispatch { await self?.listener.didSelect(jobs[index].id) }
                }
            }
        }
    }
}
