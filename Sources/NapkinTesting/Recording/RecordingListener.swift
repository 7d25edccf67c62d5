// RecordingListener: a parent that notes what its child tells it.
//
// Layer      testing.
// Isolation  any thread.

/// A test's listener: each method notes its own name.
///
/// ```swift
/// final class Parent: RecordingListener, PitBoardListener {
///     let journal = Journal()
///     func pitBoardDidFinish() async { record() }
/// }
/// ```
public protocol RecordingListener: AnyObject, Sendable {
    var journal: Journal { get }
}

extension RecordingListener {
    /// The calls so far, in order.
    public var calls: [String] { journal.lines }

    /// Notes a call, by default of the method that this stands in.
    public func record(_ call: String = #function) { journal.note(call) }
}
