// InteractorExecutor: where the interactors of this process run.
//
// Layer      core. The host chooses; the default needs no choice.
// Isolation  any thread; written once, before the first interactor exists.

/// The executor that every interactor of this process uses.
///
/// By default it is the main actor's. In a worker that is the loop which owns the sockets, so that
/// a call between an interactor, its router and its presenter's sender is a plain call: no thread
/// hop, no allocation. A process whose main thread belongs to a user interface sets another one.
public enum InteractorExecutor {
    // SAFETY: written only by `use(_:)`, which a host calls before it creates any interactor, and
    // read-only from then on.
    nonisolated(unsafe) private static var chosen: UnownedSerialExecutor?

    /// Chooses the executor. Call it before any interactor exists; `executor` must live forever.
    public static func use(_ executor: any SerialExecutor) {
        precondition(chosen == nil, "InteractorExecutor.use(_:) was called twice")
        chosen = executor.asUnownedSerialExecutor()
    }

    /// Chooses the main actor's, which is the default: then it is known, and not asked for at each
    /// call of an interactor (0.05 µs, measured). Call it as `use(_:)`.
    @MainActor
    public static func useMainActor() {
        precondition(chosen == nil, "InteractorExecutor has been chosen already")
        chosen = MainActor.sharedUnownedExecutor
    }

    static var current: UnownedSerialExecutor { chosen ?? MainActor.sharedUnownedExecutor }
}

extension Interactable {
    /// The host's choice; see `InteractorExecutor`.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { InteractorExecutor.current }
}
