// JobList: a person's own page, with all jobs, from which one is opened.

public import NapkinCore

/// Each front has one.
public enum JobList: Feature {
    public static let id: FeatureID = "jobs.list"
    public typealias Presenting = JobListPresentableCrossing
    public typealias Listening = JobListPresentableListenerCrossing
}

/// What the list shows.
@Crossing @MainActor
public protocol JobListPresentable: Presentable {
    func present(jobs: [Job]) async
}

/// What the list's view tells its interactor.
@Crossing
public protocol JobListPresentableListener: PresentableListener {
    /// Opens a job on this front's page, in place of another one.
    func didSelect(_ id: Int) async
}
