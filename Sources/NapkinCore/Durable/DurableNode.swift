// DurableNode: an interactor's tie to the recorder of its session.
//
// Layer      core.
// Isolation  the interactor's executor, which is the main actor's where there is a recorder.
// Ownership  the recorder is the session's; the interactor owns its node.

/// Reports that the state of one interactor has changed. `@Durable` adds one to the interactor, and
/// the call to the state's `didSet`.
public final class DurableNode: Sendable {
    // SAFETY: written and read on the main actor alone. `changed()` is called by the interactor,
    // whose executor is the main actor's wherever a recorder is set.
    @exclusivity(unchecked) nonisolated(unsafe) private var recorder: (any TreeRecorder)?
    @exclusivity(unchecked) nonisolated(unsafe) private var number: UInt32 = 0
    /// Whether there is nothing to report: no recorder, or the change is known already.
    @exclusivity(unchecked) nonisolated(unsafe) private var isQuiet = true

    public init() {}

    /// The state has changed. Costs a comparison where nobody records it, and from the second
    /// change of a stretch on.
    @inline(__always)
    public func changed() {
        if !isQuiet { report() }
    }

    @inline(never)
    private func report() {
        isQuiet = true
        guard let recorder else { return }
        let number = number
        MainActor.assumeIsolated { recorder.stateChanged(of: number) }
    }

    /// Reports changes from now on to a recorder, which knows the interactor by this number.
    @MainActor package func bind(to recorder: any TreeRecorder, as number: UInt32) {
        self.recorder = recorder
        self.number = number
        isQuiet = false
    }

    /// Reports nothing until the next `bind` or `listen`.
    @MainActor package func ignore() { isQuiet = true }

    /// Reports the next change.
    @MainActor package func listen() { isQuiet = recorder == nil }
}

/// Records the tree of a session: which routers it has, and the states of their interactors.
@MainActor
package protocol TreeRecorder: AnyObject {
    /// The state of the interactor with this number has changed: the first time in this stretch.
    func stateChanged(of number: UInt32)
}
