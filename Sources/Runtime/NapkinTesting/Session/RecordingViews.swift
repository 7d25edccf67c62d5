// RecordingViews: recordings in place of a front's views.
//
// Ownership  keeps its recordings, even those whose node is gone: a test reads them afterwards.

public import NapkinCore
public import NapkinFront

/// Registers recordings instead of views; all of them write into one journal.
@MainActor
public final class RecordingViews {
    public let registry = ViewRegistry()
    public let journal: Journal
    private var recordings: [FeatureID: [AnyObject]] = [:]

    public init(journal: Journal = Journal()) { self.journal = journal }

    /// Records a feature. Each message becomes a line, `pit-board presentSpecials(…)`.
    ///
    /// - Parameters:
    ///   - feature: the feature whose views are recorded.
    ///   - made: receives each recording before its first message; set its answers to questions
    ///     there.
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

    /// Returns a feature's recordings, in the order in which they were created.
    public func all<F: Feature>(_ feature: F.Type) -> [Recording<F>] {
        recordings[F.id, default: []].compactMap { $0 as? Recording<F> }
    }

    /// Returns a feature's newest recording.
    public func newest<F: Feature>(_ feature: F.Type) -> Recording<F>? { all(feature).last }
}
