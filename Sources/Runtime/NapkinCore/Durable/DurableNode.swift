// DurableNode: an interactor's tie to the recorder of its session.
//
// Isolation  confined to the main actor, whose executor is also the interactor's where there is a
//            recorder.
// Ownership  the recorder is the session's; the interactor owns its node.

import NapkinCoding

/// Reports that the state of one interactor has changed. `@Durable` adds one to the interactor, and
/// the call to the state's `didSet`.
public final class DurableNode: Sendable {
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor alone. `changed()` is
    // called by the interactor, whose executor is the main actor's wherever a recorder is set.
    @exclusivity(unchecked) nonisolated(unsafe) private var recorder: (any TreeRecorder)?
    // SAFETY: as above.
    @exclusivity(unchecked) nonisolated(unsafe) private var number: UInt32 = 0
    // SAFETY: as above.
    /// Whether a change need not be reported: it is not recorded, or is known already.
    @exclusivity(unchecked) nonisolated(unsafe) private var isQuiet = true
    // SAFETY: as above.
    @exclusivity(unchecked) nonisolated(unsafe) private var isMarked = true

    public init() {}

    /// The state has changed. Costs a comparison if no recorder is set, and from the second change
    /// of a stretch on.
    public func changed() {
        if !isQuiet { report() }
    }

    @inline(never)
    private func report() {
        isQuiet = true
        guard let recorder else { return }
        #if DEBUG  // assertIsolated() checks in release builds, too (Swift 6.3.1, measured)
            MainActor.assertIsolated()
        #endif
        let report: @MainActor (any TreeRecorder, UInt32) -> Void = { $0.stateChanged(of: $1) }
        // SAFETY: the interactor's executor is the main actor's wherever a recorder is set, and
        // dropping the isolation from a function's type does not change its representation.
        unsafeBitCast(report, to: ((any TreeRecorder, UInt32) -> Void).self)(recorder, number)
    }

    /// Calls the outbox of the session's recorder; throws if nothing is kept.
    func outbox<T: Sendable>(
        _ body: @MainActor (any Outbox, UInt32) throws(DurableError) -> T
    ) throws(DurableError) -> T {
        guard recorder != nil else {
            throw DurableError(.notKept, "this session is not kept: see the app's 'durability'")
        }
        let number = number
        // SAFETY: the interactor's executor is the main actor's wherever a recorder is set.
        return try MainActor.assumeIsolated {
            Result { () throws(DurableError) in
                guard let outbox = recorder?.outbox else {
                    throw DurableError(
                        .notKept, "a child in a process can have neither timers nor jobs")
                }
                return try body(outbox, number)
            }
        }.get()
    }

    /// The interactor is about to present.
    @MainActor func presenting() {
        guard !isMarked else { return }
        isMarked = true
        recorder?.willPresent(from: number)
    }

    /// Reports changes from now on to a recorder, which knows the interactor by this number.
    @MainActor func bind(to recorder: any TreeRecorder, as number: UInt32) {
        self.recorder = recorder
        self.number = number
        listen()
    }

    @MainActor func unbind() {
        recorder = nil
        ignore()
    }

    /// Reports nothing until `listen` is called.
    @MainActor package func ignore() {
        isQuiet = true
        isMarked = true
    }

    /// Reports the next change, and the next message that is presented.
    @MainActor package func listen() {
        isQuiet = recorder == nil
        isMarked = isQuiet
    }
}

extension DurableInteractable {
    /// Returns the state, encoded. Only where the interactor runs on the main actor's executor.
    @MainActor package func encodedState() throws(CBORError) -> Payload {
        #if DEBUG
            assertIsolated()
        #endif
        let read: @Sendable (isolated Self) -> State = { $0.state }
        // SAFETY: its executor is the main actor's wherever a recorder is set; the cast as above.
        let state = unsafeBitCast(read, to: (@Sendable (Self) -> State).self)(self)
        return try Payload { (writer) throws(CBORError) in try writer.write(state) }
    }

    nonisolated package var stateType: any DurableState.Type { State.self }

    /// Replaces the state without reporting a change.
    @MainActor package func replaceState(with payload: Payload) throws(CBORError) {
        replaceState(by: try payload.decode(State.self))
    }

    /// Replaces the state with a stored one, perhaps from another version of the app. Returns
    /// whether its form has changed, so that it must be stored again.
    ///
    /// - Parameter schema: `nil` if it was stored before there were descriptions.
    @MainActor package func restoreState(
        _ payload: Payload, described schema: StateSchema?
    ) throws(StateDefect) -> Bool {
        let stored: StoredState
        do throws(CBORError) {
            guard let schema, schema != StateSchema(of: State.self) else {
                try replaceState(with: payload)
                return false
            }
            stored = StoredState(payload: payload, schema: schema, initial: try encodedState())
        } catch {
            throw StateDefect(reason: error.detail)
        }
        replaceState(by: try State.read(stored))
        return true
    }

    @MainActor private func replaceState(by state: State) {
        durability.ignore()
        // SAFETY: as above.
        assumeIsolated { $0.state = state }
        durability.listen()
    }
}
