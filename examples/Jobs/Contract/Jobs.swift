// Jobs: the root, which everybody shares: what can be done with jobs, and what has become of them.

public import NapkinCore

/// The root of the app.
public enum Jobs: Feature {
    public static let id: FeatureID = "jobs.jobs"
    public typealias Presenting = JobsPresentableCrossing
    public typealias Listening = JobsPresentableListenerCrossing
}

/// What everybody sees, on every page.
@Crossing @MainActor
public protocol JobsPresentable: Presentable {
    /// How many jobs run and wait.
    func present(running: Int, queued: Int) async
    /// A job has ended, and not well.
    @Effect func announce(_ news: String) async
    /// Whether a job that runs is to be ended.
    func confirmCancel(_ question: String) async throws -> Bool
}

/// What can be done with jobs.
@Crossing
public protocol JobsPresentableListener: PresentableListener {
    /// Accepts a job; it is on disk when this returns its number.
    func submit(_ order: JobOrder) async throws(JobError) -> Int
    /// Ends a job, or takes it out of its queue. Asks the front first, if it takes questions and
    /// the job runs.
    func cancel(_ id: Int) async throws(JobError)
    /// Puts a job that has ended back into its queue, and those that were skipped because of it.
    func retry(_ id: Int) async throws(JobError)
    /// Returns the job as soon as it has ended.
    func end(of id: Int) async throws(JobError) -> Job
}
