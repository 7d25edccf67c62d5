// PendingEvent: an event under way, and the place where its sender waits for the answer.
//
// Layer      core vocabulary; the runtime's subclass is reused for the next event.
// Ownership  the bytes of an answer whose sender is waiting are borrowed: the sender reads them
//            before `succeed(borrowing:)` returns, which runs it. Other answers are copied.
// Invariant  answered once, then ended once; an abandoned event is never used for another.
//
// Each function that a returning `await` passes through costs the runtime 30 ns to find out where
// to continue (Swift 6.3.1, measured). A generated sender therefore waits in the gate itself, with
// no function in between. A cancellation handler would make the wait three times as long (390 ns
// in place of 125, measured), so there is none at first: the port wakes the senders of events that
// take long, and these then wait with a handler.

/// One event from its sending to its answer.
@MainActor
open class PendingEvent {
    /// An answer that does not borrow its bytes.
    @usableFromInline
    enum Answer {
        case none
        case owned(Payload)
        case fault(RemoteFault)
    }

    /// Where the sender waits, if `isPending`.
    public final let gate = Gate()
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and the sender goes on
    // only after the access has ended.
    /// The answer, if it found its sender waiting; there is no other answer then.
    @exclusivity(unchecked) @usableFromInline final var borrowed: UnsafeRawBufferPointer?
    @exclusivity(unchecked) @usableFromInline final var answer = Answer.none
    @exclusivity(unchecked) private final var hasGivenUp = false
    /// Called with the fault that ends the event; set while a woken sender waits.
    @exclusivity(unchecked) private final var giveUp: ((RemoteFault) -> Void)?

    public init() {}

    /// Whether its sender went on without the answer, which may still come and changes nothing.
    ///
    /// A computed property: a stored one that is read from another module is checked for
    /// exclusivity there (measured: a hundred instructions).
    package final var isAbandoned: Bool { hasGivenUp }

    // MARK: - The sender's side: generated code

    /// Whether there is no answer yet. Only then pass the gate, and do so immediately.
    @inlinable
    public final var isPending: Bool {
        guard borrowed == nil, case .none = answer else { return false }
        return true
    }

    /// Continues to wait after the gate has opened without an answer, until an answer arrives, the
    /// waiting task is cancelled, or its deadline passes.
    public final func keepWaiting() async {
        let giveUp = giveUp
        await CallLimit.watch {
            if isPending { await gate.pass() }
        } giveUp: { [self] reason in
            guard isPending else { return }
            hasGivenUp = true
            giveUp?(reason)
            fail(reason)
        }
        self.giveUp = nil
    }

    /// Returns the handler's result; throws the handler's error or the event's fault, and
    /// `CancellationError` if the calling task was cancelled first. Call once, directly after the
    /// gate.
    @inlinable
    public final func result<T: DirectlyCodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// Returns the result as a type that is only `Codable`; see `result()`.
    @_disfavoredOverload
    public final func result<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// Returns a copy of the result's bytes. Call once, directly after the gate.
    public final func payload() throws(RemoteFault) -> Payload {
        defer { didEnd() }
        if let bytes = borrowed.take() { return Payload(Array(bytes)) }
        return try takePayload()
    }

    /// Ends an event whose handler has no result. Call once, directly after the gate.
    /// Throws what `result()` throws.
    public final func end() throws {
        defer { didEnd() }
        if borrowed.take() == nil { _ = try takeOwned() }
    }

    @inlinable @inline(__always)
    final func end<T>(_ read: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        defer { didEnd() }
        guard let bytes = borrowed else { return try takeOwned().withReader(read) }
        borrowed = nil
        var reader = CBORReader(bytes)
        let value = try read(&reader)
        try reader.expectEnd()
        return value
    }

    @inline(never) @usableFromInline
    final func takeOwned() throws -> Payload {
        do {
            return try takePayload()
        } catch {
            throw error.thrown
        }
    }

    private final func takePayload() throws(RemoteFault) -> Payload {
        defer { answer = .none }
        switch answer {
        case .owned(let payload): return payload
        case .fault(let fault): throw fault
        case .none: preconditionFailure("an event went on without an answer")
        }
    }

    // MARK: - The port's side

    /// Delivers the result and runs the sender up to its next suspension.
    public final func succeed(borrowing payload: UnsafeRawBufferPointer) {
        guard isPending else { return ignoreLateAnswer() }
        guard gate.isOccupied else {
            answer = .owned(Payload(Array(payload)))
            return
        }
        borrowed = payload
        gate.openNow()
    }

    /// Delivers the result; the sender continues after the code that runs now.
    public final func succeed(with payload: Payload) { answer(.owned(payload)) }

    /// Delivers the reason for the missing result; the sender continues after the code that runs
    /// now.
    public final func fail(_ fault: RemoteFault) { answer(.fault(fault)) }

    private func answer(_ answer: Answer) {
        guard isPending else { return ignoreLateAnswer() }
        self.answer = answer
        if gate.isOccupied { gate.open() }
    }

    @inline(never)
    private func ignoreLateAnswer() { precondition(isAbandoned, "an event is answered twice") }

    /// Whether the sender has been woken, so that it can be cancelled.
    package final var isWatched: Bool { giveUp != nil || isAbandoned }

    /// Wakes the sender, if it waits: from here on, the cancellation of its task and its deadline
    /// end the event.
    ///
    /// - Parameter giveUp: called if that happens before there is an answer.
    public final func watch(giveUp: @escaping (RemoteFault) -> Void) {
        guard isPending, !isWatched, gate.isOccupied else { return }
        self.giveUp = giveUp
        gate.openNow()
    }

    /// The sender has finished with the event: only the port still has it, unless the event
    /// is abandoned.
    open func didEnd() {}
}
