// Gate: where a task of the main actor waits until other code of the main actor opens.
//
// Layer      core, fast path; see README.md.
// Isolation  actor (own executor, which runs nothing); the main actor enters and opens it.
// Ownership  keeps the waiting task's job by unowned reference, as the runtime does; a gate's owner
//            keeps the gate until it has been opened.
// Invariant  one task waits at a time; a gate can be used again after it has been opened.

/// A place where one task of the main actor at a time can wait.
///
/// ```swift
/// await gate.pass()  // returns after gate.open()
/// ```
public final actor Gate: SerialExecutor {
    // SAFETY: written by `enqueue` and read by `takeJob`, both on the main actor: a task enters
    // from it, and opening is isolated to it.
    @exclusivity(unchecked) nonisolated(unsafe) private var job: UnownedJob?
    /// The main actor's executor, kept because the runtime needs five calls to find it.
    private let mainExecutor = MainActor.sharedUnownedExecutor
    /// Gives `pass()` a body, so that the compiler does not remove the hop.
    private var passes: UInt = 0

    package init() {}

    @inlinable
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Whether a task is waiting.
    @MainActor package var isOccupied: Bool { job != nil }

    /// Suspends the calling task of the main actor until the gate is opened. Cancellation does not
    /// open it.
    @inline(never)
    public func pass() { passes &+= 1 }

    /// Called by the runtime when a task has suspended itself in ``pass()``.
    public nonisolated func enqueue(_ job: consuming ExecutorJob) {
        precondition(self.job == nil, "two tasks in one Gate")
        self.job = UnownedJob(job)
    }

    /// Resumes the waiting task after the code that runs now, in the order in which gates are
    /// opened.
    @MainActor package func open() { MainActor.shared.enqueue(takeJob()) }

    /// Resumes the waiting task immediately; returns when it suspends again or ends.
    ///
    /// If the caller is a task, it continues in that task: the runtime sets it aside for the other
    /// one.
    @MainActor package func openNow() { takeJob().runSynchronously(on: mainExecutor) }

    @MainActor private func takeJob() -> UnownedJob {
        guard let job else { preconditionFailure("no task waits in this Gate") }
        self.job = nil
        return job
    }
}
