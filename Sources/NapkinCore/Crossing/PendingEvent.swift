// PendingEvent: an event that is under way, and where its sender waits for the answer.
//
// Layer      core vocabulary; the runtime subclasses it to use it again for the next event.
// Isolation  @MainActor.
// Ownership  the bytes of an answer that finds its sender waiting are borrowed: they are read
//            before `succeed(borrowing:)` returns, for it runs the sender. Others are copied.
// Invariant  answered once, ended once, in this order.
//
// An `await` that returns costs the runtime a look at where to go on, 30 ns for each function that
// it passes (Swift 6.3.1, measured). So a generated sender waits in the gate itself: there is no
// function between.

/// One event between its sending and its answer.
@MainActor
open class PendingEvent {
    /// An answer whose bytes are not borrowed.
    @usableFromInline
    enum Answer {
        case none
        case owned(Payload)
        case fault(RemoteFault)
    }

    /// Where the sender waits, if `isPending`.
    public final let gate = Gate()
    /// The answer, if it found its sender waiting; then there is no other.
    @exclusivity(unchecked) @usableFromInline final var borrowed: UnsafeRawBufferPointer?
    @exclusivity(unchecked) @usableFromInline final var answer = Answer.none

    public init() {}

    // MARK: - The sender's side: generated code

    /// Whether there is no answer yet: then pass the gate, at once and only then.
    @inlinable
    public final var isPending: Bool {
        guard borrowed == nil, case .none = answer else { return false }
        return true
    }

    /// The handler's result; what it threw, or what became of the event, is thrown. Call once,
    /// right behind the gate.
    @inlinable
    public final func result<T: DirectlyCodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// As above, for a type that is `Codable` only.
    @_disfavoredOverload
    public final func result<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// The result's bytes, copied. Call once, right behind the gate.
    public final func payload() throws(RemoteFault) -> Payload {
        defer { didEnd() }
        if let bytes = borrowed.take() { return Payload(Array(bytes)) }
        return try takePayload()
    }

    /// Ends an event whose handler has no result. Call once, right behind the gate.
    public final func end() throws(RemoteFault) {
        defer { didEnd() }
        if borrowed.take() == nil { _ = try takePayload() }
    }

    @inlinable @inline(__always)
    final func end<T>(
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        defer { didEnd() }
        guard let bytes = borrowed else { return try takePayload().withReader(read) }
        borrowed = nil
        var reader = CBORReader(bytes)
        let value = try read(&reader)
        try reader.expectEnd()
        return value
    }

    @inline(never) @usableFromInline
    final func takePayload() throws(RemoteFault) -> Payload {
        defer { answer = .none }
        switch answer {
        case .owned(let payload): return payload
        case .fault(let fault): throw fault
        case .none: preconditionFailure("an event went on without an answer")
        }
    }

    // MARK: - The port's side

    /// Hands over the result and lets the sender go on, up to its next suspension.
    public final func succeed(borrowing payload: UnsafeRawBufferPointer) {
        precondition(isPending, "an event is answered twice")
        guard gate.isOccupied else {
            answer = .owned(Payload(Array(payload)))
            return
        }
        borrowed = payload
        gate.openNow()
    }

    /// Hands over the result; the sender goes on after the code that runs now.
    public final func succeed(with payload: Payload) { answer(.owned(payload)) }

    /// Says why there is no result; the sender goes on after the code that runs now.
    public final func fail(_ fault: RemoteFault) { answer(.fault(fault)) }

    private func answer(_ answer: Answer) {
        precondition(isPending, "an event is answered twice")
        self.answer = answer
        if gate.isOccupied { gate.open() }
    }

    /// The sender is through with it: nobody has it any more but the port.
    open func didEnd() {}
}
