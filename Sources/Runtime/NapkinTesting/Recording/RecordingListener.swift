// RecordingListener: a parent that notes its child's calls.
//
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

    /// Notes a call, by default the calling method's name.
    public func record(_ call: String = #function) { journal.note(call) }
}
