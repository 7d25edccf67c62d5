// ChildLine: the connection between a worker and the process of a child, at either end.
//
// Ownership  owns its link and keeps its owner until the link has ended.
// Invariant  messages and calls of one side are handled in the order in which that side made them.
// Spec       Protocol/CHILD.md

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// The owner of a line: the worker's runner of the child, or the child's host.
@MainActor
protocol ChildLineOwner: AnyObject {
    func lineEstablished(_ line: ChildLine)
    /// A call has arrived, to be handled by `call(…)`.
    func line(
        _ line: ChildLine, called header: FrameHeader, _ payload: UnsafeRawBufferPointer)
    /// A frame that belongs to no call has arrived. Throws if this side does not expect it.
    func line(
        _ line: ChildLine, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(CBORError)
    /// Keeps the state of a stretch of the peer; `body` handles the frames that follow from it.
    func line(
        _ line: ChildLine, keeps stretch: ChildStretch, _ body: () -> Void
    ) throws(CBORError)
    /// Handles input from the other process, which may start or resume a handler here.
    func handling(_ cause: IncomingCall?, _ body: () -> Void)
    /// The owner sends now what it has held back: the peer has read, or an answer comes next.
    func lineSendsLate(_ line: ChildLine)
    func lineEnded(_ line: ChildLine, _ end: ConnectionEnd)
}

/// Carries calls both ways, and other frames.
@MainActor
final class ChildLine {
    private(set) var link: Link
    private var owner: (any ChildLineOwner)?
    private var calls = ChildCallsStateMachine<LineEvent>()
    /// The peer's calls whose handlers have not returned.
    private var running: [UInt64: ChildCall] = [:] {
        didSet { idle.take()?.resume() }
    }
    private var idle: CheckedContinuation<Void, Never>?
    /// The answers that wait until the peer reads.
    private var answers: [UInt64: Result<Payload, RemoteFault>] = [:]
    /// What this side holds until its stretch ends.
    private var held: ChildStretch?
    private var whenFull: () -> Void = {}
    /// A stretch of the peer that has not arrived completely.
    private var arriving: ChildStretch?

    init(_ channel: Channel, role: ConnectionStateMachine.Role, owner: any ChildLineOwner) {
        self.owner = owner
        link = Link(channel: channel, role: role)
        link.start(self)
    }

    /// This side's calls that have not been answered.
    var unanswered: [LineEvent] { calls.unanswered }

    /// Returns this side's unanswered call with that number.
    func call(_ number: UInt64) -> LineEvent? { calls.call(number) }

    // MARK: - This side's messages

    /// Sends a frame. A peer that does not read is given up.
    func send(_ header: FrameHeader, _ encode: PayloadEncoder = { (_) throws(CBORError) in }) {
        do throws(CBORError) {
            guard held == nil else {
                var writer = CBORWriter()
                try encode(&writer)
                held?.add(header, writer.copyBytes())
                if held?.isFull == true { whenFull() }
                return
            }
            try link.send(header, encode)
        } catch {
            return link.refuse(Refusal(.overloaded, error.detail))
        }
        _ = link.keepsUp()
    }

    /// Holds the frames of a stretch that begins, until `release`.
    ///
    /// - Parameters:
    ///   - byteCount: the size of the state, for which room is reserved as well.
    ///   - whenFull: called when there is no room for more; releases what is held.
    func hold(beside byteCount: Int, _ whenFull: @escaping () -> Void) {
        held = ChildStretch(reserved: byteCount)
        self.whenFull = whenFull
    }

    /// Removes the held frames whose headers satisfy `shouldDrop`; returns those headers.
    func withdraw(where shouldDrop: (FrameHeader) -> Bool) -> [FrameHeader] {
        held?.withdraw(where: shouldDrop) ?? []
    }

    /// Sends what was held, after the state from which it follows, if that has changed.
    func release(after state: Payload?, for cause: UInt64, isTold: Bool) {
        guard let stretch = held.take() else { return }
        if let state { keep(state, for: cause, isTold: isTold, before: stretch.frames.count) }
        for frame in stretch.frames {
            send(frame.header) { (writer) throws(CBORError) in writer.append(frame.payload) }
        }
    }

    /// Sends a state of the child. The next `count` frames are handled with it.
    ///
    /// - Parameter isTold: whether the interactor has learned of the interrupted handlers.
    func keep(
        _ state: Payload, for cause: UInt64 = 0, isTold: Bool = false, before count: Int = 0
    ) {
        let flags = FrameHeader.keptFlag | (isTold ? FrameHeader.toldFlag : 0)
        var header = FrameHeader(.state, flags: flags, sequence: cause)
        header.node = UInt32(clamping: count)
        send(header) { (writer) throws(CBORError) in writer.append(state.bytes) }
    }

    /// Makes a call. Its sender waits as for any event.
    ///
    /// - Parameter origin: the call of this process that has led to this one.
    func begin(
        _ kind: FrameKind, _ method: MethodID, audience: UInt64? = nil,
        terms: QuestionTerms? = nil, origin: IncomingCall? = nil, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> LineEvent {
        guard link.isOpen else {
            throw RemoteFault(.notExecuted, "the other process has ended: nothing was sent")
        }
        try CallLimit.check()
        var writer = CBORWriter()
        do throws(CBORError) {
            try encode(&writer)
            guard writer.count <= Limits.messageBytesMax + callContextBytesMax else {
                throw CBORError(.lengthExceeded, "\(writer.count) bytes are too many for a message")
            }
        } catch {
            throw .unencodable(error)
        }
        let payload = Payload(writer.copyBytes())
        var header = FrameHeader(audience: audience, kind, method)
        if let terms {
            header.flags |= FrameHeader.namesAnswererFlag
            if terms.waitsForFronts { header.flags |= FrameHeader.waitsForFrontsFlag }
        }
        let event = LineEvent(header, payload, origin: origin)
        calls.callMade(event, byteCount: payload.bytes.count)
        sendCalls()
        // The sender waits from the end of this job on, and may then be cancelled.
        Task { event.watch { [weak self] in self?.withdraw(event, $0) } }
        return event
    }

    private func sendCalls() {
        while let (event, number) = calls.nextCall() {
            event.number = number
            send(event.header(number)) { (writer) throws(CBORError) in
                writer.append(event.payload.bytes)
            }
        }
    }

    private func withdraw(_ event: LineEvent, _ reason: RemoteFault) {
        guard !calls.callWithdrawn({ $0 === event }) else { return }
        let flags = reason.code == .deadlineExceeded ? FrameHeader.tooLateFlag : 0
        send(FrameHeader(.cancelEvent, flags: flags, sequence: event.number))
    }

    /// Ends all calls of this side. Call it once the line has ended.
    ///
    /// - Parameter reason: what has become of the other process.
    func failCalls(because reason: String) {
        let (unanswered, unsent) = calls.lineEnded()
        for event in unanswered where !event.isAbandoned {
            event.fail(
                RemoteFault(.interrupted, "\(reason): it is not known how far this has come"))
        }
        for event in unsent { event.fail(RemoteFault(.notExecuted, reason)) }
    }

    // MARK: - The peer's calls

    /// Begins a call of the peer.
    ///
    /// - Parameters:
    ///   - cause: the call of this process that has led to it.
    ///   - standIn: if a task of this process waits for the code that has made the call.
    ///   - asker: the front whose event it is.
    ///   - terms: those of a question whose answer says who has given it.
    ///   - holding: waits until the answer may be sent; `nil` if it may be at once.
    ///   - replacing: returns the answer in place of the handler's, which has just ended.
    ///   - handle: starts the handler.
    func run(
        _ header: FrameHeader, cause: IncomingCall? = nil, standIn: StandIn? = nil,
        from asker: AttachedFront? = nil, terms: QuestionTerms? = nil,
        holding: (@MainActor () async -> Void)? = nil,
        replacing: @escaping (LineResult) -> LineResult = { $0 }, _ handle: (ChildCall) -> Void
    ) {
        let number = header.sequence
        standIn?.handlerBegins()
        let call = ChildCall(number, cause: cause, standIn: standIn, from: asker) { [self] result in
            running[number] = nil
            standIn?.handlerReturned()
            let replaced = replacing(result)
            let result = terms.map { $0.naming(replaced) } ?? replaced
            guard let holding else { return answer(number, result) }
            // In a later job: what this one has changed is recorded at its end.
            Task {
                await holding()
                answer(number, result)
            }
        }
        running[number] = call
        handle(call)
    }

    /// Returns when no handler of the peer's calls runs and all have been answered, or the line
    /// has ended. Call it once.
    func handlersReturned() async {
        while link.isOpen, !running.isEmpty || !answers.isEmpty {
            await withCheckedContinuation { idle = $0 }
        }
    }

    private func answer(_ number: UInt64, _ result: Result<Payload, RemoteFault>) {
        // A fault is short, but for the error that it carries.
        let byteCount =
            switch result {
            case .success(let payload): payload.bytes.count
            case .failure(let fault): fault.error?.bytes.count ?? 0
            }
        switch calls.callReturned(number, byteCount: byteCount) {
        case .none: return
        case .kept: answers[number] = result
        case .tooLong:
            let reason = "the other process does not read, and there is no room for a result of "
            answers[number] = .failure(RemoteFault(.overloaded, "\(reason)\(byteCount) bytes"))
        }
        sendAnswers()
    }

    /// Sends the answers that the peer can take. Calls and answers alone end no line: their bytes
    /// are limited.
    private func sendAnswers() {
        while let number = calls.nextAnswer(
            pendingBytes: link.pendingBytes + (held?.byteCount ?? 0))
        {
            guard let result = answers.removeValue(forKey: number) else { continue }
            owner?.lineSendsLate(self)
            switch result {
            case .success(let payload):
                send(FrameHeader(.reply, sequence: number)) { (writer) throws(CBORError) in
                    writer.append(payload.bytes)
                }
            case .failure(let fault):
                send(FrameHeader(.fault, sequence: number)) { (writer) throws(CBORError) in
                    try writer.write(fault.fault)
                }
            }
        }
        if answers.isEmpty { idle.take()?.resume() }
    }

    /// Cancels the handlers of the peer's questions, which no longer wait for an answer.
    func cancelCalls(where shouldCancel: (ChildCall) -> Bool) {
        for call in running.values.filter(shouldCancel) { call.cancel() }
    }

    /// The peer is being detached, perhaps by a handler of one of its calls.
    func peerDetached() {
        for call in running.values { call.callerDetached() }
    }

    /// Whether a handler of the peer's calls runs that has had the peer detached.
    var isDetaching: Bool { running.values.contains { $0.isDetaching } }
}

extension ChildLine: LinkDelegate {
    func linkEstablished(_ link: Link) { owner?.lineEstablished(self) }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard arriving != nil || header.kind == .state && header.flags & FrameHeader.keptFlag != 0
        else { return received(header, payload) }
        if arriving == nil {
            arriving = ChildStretch(
                cause: header.sequence, isTold: header.flags & FrameHeader.toldFlag != 0,
                state: Payload(Array(payload)), count: header.node)
        } else {
            arriving?.add(header, Array(payload))
        }
        guard let stretch = arriving, !stretch.isTooLong else {
            return link.violate("a stretch of too many bytes")
        }
        guard stretch.frames.count >= stretch.count else { return }
        arriving = nil
        do throws(CBORError) {
            try owner?.line(self, keeps: stretch) {
                for (header, payload) in stretch.frames where link.isOpen {
                    payload.withUnsafeBytes { received(header, $0) }
                }
            }
        } catch {
            link.violate("a state to be kept: \(error.detail)")
        }
    }

    private func received(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        let number = header.sequence
        switch header.kind {
        case .event, .ask:
            guard calls.callReceived(number, byteCount: payload.count) else {
                return link.violate("call \(number) is out of order, or beyond the window")
            }
            owner?.line(self, called: header, payload)
        case .cancelEvent: owner?.handling(nil) { running[number]?.cancel() }
        case .reply, .fault:
            guard let event = calls.answerReceived(number) else {
                return link.violate("an answer to call \(number), which is not under way")
            }
            owner?.handling(nil) { answered(event, header, payload) }
            sendCalls()
        default:
            do throws(CBORError) {
                try owner?.line(self, received: header, payload)
            } catch {
                link.violate("a \(header.kind) frame: \(error.detail)")
            }
        }
    }

    private func answered(
        _ event: LineEvent, _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        guard !event.isAbandoned else { return }
        if header.kind == .reply { return event.succeed(borrowing: payload) }
        guard let fault = payload.decoded(Fault.self) else {
            event.fail(RemoteFault(.unknown, "the answer cannot be read"))
            return link.violate("an unreadable fault")
        }
        event.fail(RemoteFault(fault))
    }

    func linkDidDrain(_ link: Link) {
        owner?.lineSendsLate(self)
        sendAnswers()
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        let owner = owner.take()
        idle.take()?.resume()
        owner?.lineEnded(self, end)
    }
}
