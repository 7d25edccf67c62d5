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
    private enum Answer {
        case none
        case borrowed(UnsafeRawBufferPointer)
        case owned(Payload)
        case fault(RemoteFault)
    }

    /// Where the sender waits, if `isPending`.
    public let gate = Gate()
    @exclusivity(unchecked) private var answer = Answer.none

    public init() {}

    // MARK: - The sender's side: generated code

    /// Whether there is no answer yet: then pass the gate, at once and only then.
    public var isPending: Bool {
        if case .none = answer { true } else { false }
    }

    /// The handler's result; what it threw, or what became of the event, is thrown. Call once,
    /// right behind the gate.
    public func result<T: DirectlyCodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// As above, for a type that is `Codable` only.
    @_disfavoredOverload
    public func result<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try end { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// The result's bytes, copied. Call once, right behind the gate.
    public func payload() throws(RemoteFault) -> Payload {
        defer { didEnd() }
        switch take() {
        case .owned(let payload): return payload
        case .borrowed(let bytes): return Payload(Array(bytes))
        case .fault(let fault): throw fault
        case .none: preconditionFailure("an event went on without an answer")
        }
    }

    /// Ends an event whose handler has no result. Call once, right behind the gate.
    public func end() throws(RemoteFault) {
        defer { didEnd() }
        if case .fault(let fault) = take() { throw fault }
    }

    @inline(__always)
    private func end<T>(
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        defer { didEnd() }
        switch take() {
        case .borrowed(let bytes):
            var reader = CBORReader(bytes)
            let value = try read(&reader)
            try reader.expectEnd()
            return value
        case .owned(let payload):
            return try payload.withReader(read)
        case .fault(let fault):
            throw fault
        case .none:
            preconditionFailure("an event went on without an answer")
        }
    }

    @inline(__always)
    private func take() -> Answer {
        defer { answer = .none }
        return answer
    }

    // MARK: - The port's side

    /// Hands over the result and lets the sender go on, up to its next suspension.
    public func succeed(borrowing payload: UnsafeRawBufferPointer) {
        precondition(isPending, "an event is answered twice")
        guard gate.isOccupied else {
            answer = .owned(Payload(Array(payload)))
            return
        }
        answer = .borrowed(payload)
        gate.openNow()
    }

    /// Hands over the result; the sender goes on after the code that runs now.
    public func succeed(with payload: Payload) { answer(.owned(payload)) }

    /// Says why there is no result; the sender goes on after the code that runs now.
    public func fail(_ fault: RemoteFault) { answer(.fault(fault)) }

    private func answer(_ answer: Answer) {
        precondition(isPending, "an event is answered twice")
        self.answer = answer
        if gate.isOccupied { gate.open() }
    }

    /// The sender is through with it: nobody has it any more but the port.
    open func didEnd() {}
}
