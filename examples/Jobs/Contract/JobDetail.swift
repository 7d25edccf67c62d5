// JobDetail: one job and what it prints, on the page of the person who has opened it.

public import NapkinCore

/// Pushed above a list.
public enum JobDetail: Feature {
    public static let id: FeatureID = "jobs.detail"
    public typealias Presenting = JobDetailPresentableCrossing
    public typealias Listening = JobDetailPresentableListenerCrossing

    @Message
    public struct Arguments: Hashable {
        public var id: Int
    }
}

/// What the page shows.
@Crossing @MainActor
public protocol JobDetailPresentable: Presentable {
    func present(job: Job) async
    /// A line of what it prints, standard output and standard error mixed.
    @Append func output(_ line: String) async
}

/// What the page's view tells its interactor; see `JobsPresentableListener`.
@Crossing
public protocol JobDetailPresentableListener: PresentableListener {
    func didTapCancel() async throws(JobError)
    func didTapRetry() async throws(JobError)
    func didTapBack() async
}
