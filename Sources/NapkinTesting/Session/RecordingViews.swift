// RecordingViews: a front's views, all of which only record.
//
// Layer      testing.
// Isolation  @MainActor.
// Ownership  keeps its recordings, also those whose node is gone: a test asks them afterwards.

public import NapkinCore
public import NapkinFront

/// Registers recordings in place of views, and has them write into one journal.
@MainActor
public final class RecordingViews {
    public let registry = ViewRegistry()
    public let journal: Journal
    private var recordings: [FeatureID: [AnyObject]] = [:]

    public init(journal: Journal = Journal()) {
        self.journal = journal
    }

    /// Records a feature. Each message becomes a line, `pit-board presentSpecials(…)`.
    ///
    /// - Parameters:
    ///   - feature: whose views are recorded.
    ///   - made: told of each recording before anything is presented to it; the place to say how
    ///     it answers.
    @discardableResult
    public func record<F: Feature>(
        _ feature: F.Type, made: @escaping (Recording<F>) -> Void = { _ in }
    ) -> RecordingViews {
        registry.register(F.self) { [weak self, journal] context in
            let recording = Recording<F>(context: context)
            recording.onMessage { journal.note("\(F.id) \($0)") }
            made(recording)
            self?.recordings[F.id, default: []].append(recording)
            return recording.presenter
        }
        return self
    }

    /// The recordings of a feature, in the order in which they were made.
    public func all<F: Feature>(_ feature: F.Type) -> [Recording<F>] {
        recordings[F.id, default: []].compactMap { $0 as? Recording<F> }
    }

    /// The recording of a feature that was made last.
    public func newest<F: Feature>(_ feature: F.Type) -> Recording<F>? { all(feature).last }
}
