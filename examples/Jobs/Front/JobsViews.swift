// JobsViews: registers the views of the app in a front.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import JobsContract
public import NapkinFront

/// The terminal views of the app.
public enum JobsViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Jobs.self) { JobsView(listener: $0.listener) }
        registry.register(JobList.self) { JobListView(listener: $0.listener) }
        registry.register(JobDetail.self) {
            JobDetailView(listener: $0.listener, arguments: $0.arguments)
        }
    }
}
