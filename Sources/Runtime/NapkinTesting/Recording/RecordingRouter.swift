// RecordingRouter: a router that notes its interactor's requests and attaches nothing.

public import NapkinCore

/// The base of a test's routers: each method notes its own name.
///
/// ```swift
/// final class Ways: RecordingRouter<LoggedInInteractor>, LoggedInRouting {
///     func routeToPitBoard() async { record() }
///     func routeFromPitBoard() async { record() }
/// }
/// ```
@MainActor
open class RecordingRouter<InteractorType>: Router<InteractorType> {
    public nonisolated let journal = Journal()

    /// The calls so far, in order.
    public var calls: [String] { journal.lines }

    /// Notes a call, by default the calling method's name.
    public final func record(_ call: String = #function) { journal.note(call) }
}
