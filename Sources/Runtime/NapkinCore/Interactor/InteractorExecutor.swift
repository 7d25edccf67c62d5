// InteractorExecutor: the executor on which the interactors of this process run.
//
// Isolation  any thread; written once, before the first interactor exists.

/// The executor that every interactor of this process uses: the main actor's.
///
/// In a worker that is the loop that owns the sockets, so that a call between an interactor, its
/// router and its presenter's sender is a plain call, without a thread hop or an allocation.
package enum InteractorExecutor {
    // SAFETY: written only by `useMainActor()`, which a host calls before it creates any
    // interactor, and read-only from then on.
    nonisolated(unsafe) private static var chosen: UnownedSerialExecutor?

    /// Notes the main actor's executor, so that it need not be looked up at each call of an
    /// interactor (0.05 µs, measured). Call it before any interactor exists.
    @MainActor
    package static func useMainActor() { chosen = MainActor.sharedUnownedExecutor }

    static var current: UnownedSerialExecutor { chosen ?? MainActor.sharedUnownedExecutor }
}

extension Interactable {
    /// The main actor's executor; see `InteractorExecutor`.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { InteractorExecutor.current }
}
