// JobsViews: registers the views of the app in a front.

import JobsContract
import NapkinElements
public import NapkinFront

/// The views of the app.
public enum JobsViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Jobs.self, JobsModel.init) { JobsScreen(model: $0) }
        registry.register(JobList.self, JobListModel.init) { JobListScreen(model: $0) }
        registry.register(JobDetail.self, JobDetailModel.init) {
            JobDetailScreen(id: $1.id, model: $0)
        }
    }
}
