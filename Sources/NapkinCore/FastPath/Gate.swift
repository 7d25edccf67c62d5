// Gate: where a task of the main actor waits until other code of the main actor opens.
//
// Layer      core, fast path; see README.md.
// Isolation  actor (own executor, which runs nothing); the main actor enters and opens it.
// Ownership  keeps the waiting task's job, by unowned reference as the runtime does; the owner of
//            a gate keeps it until it has been opened.
// Invariant  one task at a time; an opened gate is as good as new.

/// A place to wait in, for one task of the main actor at a time.
///
/// ```swift
/// await gate.pass()  // returns after gate.open()
/// ```
public final actor Gate: SerialExecutor {
    // SAFETY: written by `enqueue` and read by `takeJob`, both on the main actor: a task enters
    // from it, and opening is isolated to it.
    @exclusivity(unchecked) nonisolated(unsafe) private var job: UnownedJob?
    /// Kept: to ask for it takes the runtime five calls.
    private let mainExecutor = MainActor.sharedUnownedExecutor
    /// Makes of `pass()` more than the hop that it is for.
    private var passes: UInt = 0

    public init() {}

    @inlinable
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Whether a task is waiting.
    @MainActor public var isOccupied: Bool { job != nil }

    /// Suspends the calling task of the main actor until the gate is opened. Cancellation does not
    /// open it.
    @inline(never)
    public func pass() { passes &+= 1 }

    /// Called by the runtime when a task has suspended itself in ``pass()``.
    public nonisolated func enqueue(_ job: consuming ExecutorJob) {
        precondition(self.job == nil, "two tasks in one Gate")
        self.job = UnownedJob(job)
    }

    /// Lets the waiting task go on after the code that runs now, in the order of the openings.
    @MainActor public func open() { MainActor.shared.enqueue(takeJob()) }

    /// Lets the waiting task go on now; returns when it suspends again or ends.
    ///
    /// In a task, the caller goes on in that task: the runtime puts the one aside for the other.
    @MainActor public func openNow() { takeJob().runSynchronously(on: mainExecutor) }

    @MainActor private func takeJob() -> UnownedJob {
        guard let job else { preconditionFailure("no task waits in this Gate") }
        self.job = nil
        return job
    }
}
