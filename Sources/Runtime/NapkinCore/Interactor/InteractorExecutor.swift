// InteractorExecutor: the executor on which the interactors of this process run.
//
// Layer      core. The host chooses; by default it is the main actor's.
// Isolation  any thread; written once, before the first interactor exists.

/// The executor that every interactor of this process uses.
///
/// By default it is the main actor's. In a worker that is the loop that owns the sockets, so that a
/// call between an interactor, its router and its presenter's sender is a plain call, without a
/// thread hop or an allocation. A process whose main thread belongs to a user interface sets
/// another one.
package enum InteractorExecutor {
    // SAFETY: written only by `use(_:)`, which a host calls before it creates any interactor, and
    // read-only from then on.
    nonisolated(unsafe) private static var chosen: UnownedSerialExecutor?

    /// Chooses the executor. Call it before any interactor exists; `executor` must live forever.
    package static func use(_ executor: any SerialExecutor) {
        precondition(chosen == nil, "InteractorExecutor.use(_:) was called twice")
        chosen = executor.asUnownedSerialExecutor()
    }

    /// Chooses the main actor's executor, which is the default, so that it need not be looked up at
    /// each call of an interactor (0.05 µs, measured). Call it under the conditions of `use(_:)`.
    @MainActor
    package static func useMainActor() {
        precondition(chosen == nil, "InteractorExecutor has been chosen already")
        chosen = MainActor.sharedUnownedExecutor
    }

    static var current: UnownedSerialExecutor { chosen ?? MainActor.sharedUnownedExecutor }
}

extension Interactable {
    /// The executor that the host chose; see `InteractorExecutor`.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { InteractorExecutor.current }
}
