// JobsViews: registers the views of the app in a front.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
import NapkinElements
public import NapkinFront

/// The views of the app.
public enum JobsViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Jobs.self) { context in
            let model = JobsModel(listener: context.listener)
            return (model, JobsScreen(model: model))
        }
        registry.register(JobList.self) { context in
            let model = JobListModel(listener: context.listener)
            return (model, JobListScreen(model: model))
        }
        registry.register(JobDetail.self) { context in
            let model = JobDetailModel(listener: context.listener)
            return (model, JobDetailScreen(id: context.arguments.id, model: model))
        }
    }
}
