// FrontSeat+Events: handles a front's frames, and answers its events.
//
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

extension FrontSeat {
    /// Handles a frame. Returns the event to handle, if the frame is one.
    @inline(__always)
    func received(_ frame: Frame, on link: Link) -> ReceivedMessage? {
        let (header, payload) = (frame.header, frame.payload)
        heardAt = link.heardAt
        if header.kind == .received {
            confirmationReceived(header, payload, link)
            return nil
        }
        var action = machine.frameReceived(header, payload)
        if machine.rate != nil { action = machine.limited(action, at: Loop.shared.now) }
        if case .run = action { return run(header, payload) }
        perform(action, header, payload, link)
        return nil
    }

    /// Handles confirmations of answers, which fronts of durable sessions send.
    @inline(never)
    private func confirmationReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ link: Link
    ) {
        let kept = machine.events.keptAnswers
        let action = machine.frameReceived(header, payload)
        if machine.events.keptAnswers < kept { answersConfirmed() }
        perform(action, header, payload, link)
    }

    @inline(never)
    private func perform(
        _ action: SeatStateMachine.Action, _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer, _ link: Link
    ) {
        // The frame may resume a handler that has asked, or attach pages.
        session.handling { handle(action, header, payload, link) }
    }

    private func handle(
        _ action: SeatStateMachine.Action, _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer, _ link: Link
    ) {
        switch action {
        case .run, .ignore: break
        case .runOnPage: runOnPage(header, payload)
        case .refuse(let reason): refuseEvent(header, reason)
        case .sendAgain(let frame): ordered(frame)
        case .answerUnknown:
            let what = "event \(header.sequence) ran, but its answer is no longer kept"
            sendFault(RemoteFault(.unknown, what), answering: header.sequence)
        case .cancelEvent: cancelEvent(header)
        case .askReply:
            stage.asks.answered(header.sequence, by: self, Payload(Array(payload)))
        case .measured(let measured):
            // The observer may have ended by now.
            stage.observer?.measuredReceived(header, measured, from: self)
        case .leave: session.leave(self)
        case .open(let url): workflows.start(url, header.sequence, self)
        case .refuseWorkflow(let ended):
            ordered(FrameHeader(.workflowEnded, sequence: header.sequence), ended)
        case .cancelWorkflow: workflows.cancel(header.sequence)
        case .violation(let what): link.violate(what)
        }
    }

    // MARK: - Events

    /// Runs an event, or returns it to the caller that dispatches messages.
    private func run(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage? {
        guard let node = stage.node(header.node), node.isShown(to: audience) else {
            refuseEvent(header, .gone)
            return nil
        }
        if let journal = stage.journal, refuses(header, journal) { return nil }
        if FlightRecorder.hasSuspects, isSetAside(header, payload, node) { return nil }
        let method = MethodID(rawValue: header.method)
        guard stage.sendsAtOnce, node.hasReceiver(of: method) else {
            run(header, payload, on: node)
            return nil
        }
        makeCall(node, header)
        newestBegan = MeasuringClock.coarseNanoseconds
        return withNewestCall { call in
            note(header, payload, node, at: newestBegan)
            call.begin()
            return call.message(method, payload)
        }
    }

    /// Called when the newest event's handler has reached its first suspension.
    @inline(__always)
    func newestHandled() {
        guard newestBegan != 0, newestCall != nil else { return }
        let began = newestBegan
        newestBegan = 0
        withNewestCall { call in
            call.handledUpToSuspension()
            handled(call, since: began)
        }
    }

    /// Notes the event, so that napkind knows it if the worker dies.
    @inline(__always)
    private func note(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ node: FeatureNode,
        at now: UInt64
    ) {
        flight.begin(
            .event, name: stage.flightName.bytes, node: header.node, feature: node.featureHash,
            method: header.method, front: id, sequence: header.sequence,
            hash: payload.count <= FlightArguments.bytesMax ? 0 : hash(header, payload, node),
            nanoseconds: now, epoch: stage.epoch, waiting: stage.waitingEvents)
        // napkind hashes them if it needs to.
        if !node.isSecret(header.method) { flight.keep(payload) }
    }

    /// Returns the hash of an event's arguments; 0 for secret ones, which it could reveal.
    @inline(never)
    private func hash(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ node: FeatureNode
    ) -> UInt64 {
        node.isSecret(header.method) ? 0 : FlightHash.value(of: payload)
    }

    /// Refuses an event whose handler has ended the worker twice, or whose session rests.
    @inline(never)
    private func isSetAside(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ node: FeatureNode
    ) -> Bool {
        let input = FlightInput(
            .event, session: session.name, node: header.node, feature: node.featureHash,
            method: header.method, front: id, sequence: header.sequence,
            hash: hash(header, payload, node), epoch: stage.epoch)
        if let suspect = FlightRecorder.suspect(input), suspect.isSetAside {
            refuseEvent(
                header,
                .setAside(
                    by: node.feature.lastComponent, receipt: suspect.receipt,
                    isKept: stage.journal != nil))
            return true
        }
        // Older lines of a log are read without the app's code.
        guard header.method != MethodID.readLog.rawValue,
            let rest = FlightRecorder.rest(of: session.name)
        else { return false }
        refuseEvent(header, .resting(receipt: rest.receipt, seconds: rest.seconds))
        return true
    }

    private func handled(_ call: EventCall, since began: UInt64) {
        flight.running = 0
        let ended = MeasuringClock.coarseNanoseconds
        if ended &- began >= SlowHandlers.leastNanoseconds {
            SlowHandlers.shared.note(ended &- began, call.header, of: self, at: ended)
        }
        if !call.isAnswered {
            call.flight = flight.newest
            running.append(call, at: call.header.sequence)
            stage.waitingEvents &+= 1
        }
    }

    /// Refuses an event if the journal cannot store its possible changes.
    @inline(never)
    private func refuses(_ header: FrameHeader, _ journal: Journal) -> Bool {
        guard let reason = journal.refusal else { return false }
        refuseEvent(header, .noRoom(reason))
        return true
    }

    /// Runs an event of a front that may change only its own pages.
    @inline(never)
    private func runOnPage(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let node = stage.node(header.node), node.front == id else {
            return refuseEvent(header, .readOnly)
        }
        if let journal = stage.journal, refuses(header, journal) { return }
        if FlightRecorder.hasSuspects, isSetAside(header, payload, node) { return }
        run(header, payload, on: node)
    }

    @inline(never)
    private func run(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, on node: FeatureNode
    ) {
        let began = MeasuringClock.coarseNanoseconds
        let call: EventCall
        if let observer = stage.observer {
            call = observer.call(header, payload, node, self)
        } else {
            makeCall(node, header)
            call = withNewestCall { $0 }
        }
        note(header, payload, node, at: began)
        node.receive(MethodID(rawValue: header.method), payload, call)
        handled(call, since: began)
    }

    /// Cancels an event's handler, which must still answer.
    private func cancelEvent(_ header: FrameHeader) {
        guard let call = running.value(header.sequence) else { return }
        stage.observer?.cancelled(header, call, by: self)
        call.cancel()
    }

    /// Prepares an event's answer. Returns what to do with it.
    @inline(__always)
    func handlerFinished(_ sequence: UInt64) -> SeatEvents.FinishAction {
        if !running.isEmpty, running.remove(sequence) != nil { stage.waitingEvents &-= 1 }
        return machine.events.handlerFinished(sequence)
    }

    /// Sets the newest call to one for this event.
    private func makeCall(_ node: FeatureNode, _ header: FrameHeader) {
        // Most handlers have returned by now, and nothing else retains the call.
        if isKnownUniquelyReferenced(&newestCall), withNewestCall({ $0.isFinished }) {
            withNewestCall { $0.reuse(for: node, header) }
        } else {
            newestCall = EventCall(node: node, front: self, header)
        }
    }

    /// Borrows the newest call without retaining it.
    @inline(__always)
    private func withNewestCall<R>(_ body: (EventCall) -> R) -> R {
        guard newestCall != nil else { preconditionFailure("a seat without a call") }
        // SAFETY: the seat retains the call, and no body replaces it.
        return withUnretained(newestCall, body)
    }

    @inline(never)
    private func refuseEvent(_ header: FrameHeader, _ reason: SeatStateMachine.EventRefusal) {
        refusedEvents += 1
        if case .rate(let most) = reason, let others = Self.eager.report(at: Loop.shared.now) {
            Anomaly.report(
                .eventsRefused(session: session.name, front: id, most: most, others: others))
        }
        let fault = RemoteFault(reason, header)
        stage.observer?.refused(header, fault.code, by: self)
        fail(header.sequence, fault)
    }

    // MARK: - Answers

    /// Answers an event whose handler has returned; `encode` writes the result.
    func reply(to sequence: UInt64, _ encode: PayloadEncoder) {
        if let recorder = stage.recorder, recorder.mustRecord(id, sequence) {
            return replyDurably(to: sequence, recordedBy: recorder, encode)
        }
        let action = handlerFinished(sequence)
        if action == .ignore { return }
        flush()
        let header = FrameHeader(.reply, sequence: sequence)
        do {
            guard action == .send, link != nil, output.isEmpty, !isRevocable else {
                return try queueReply(header, encode)
            }
            // SAFETY: the seat retains its link, and so does the channel until it has closed.
            try withUnretained(link) { (link) throws(CBORError) in
                guard link.isOpen, !link.isSlow else { return try queueReply(header, encode) }
                try link.send(header, keep: { machine.events.answerEncoded(sequence, $0) }, encode)
            }
        } catch {
            sendFault(
                RemoteFault(.failed, "the result cannot be encoded: \(error)"), answering: sequence)
        }
    }

    /// Sends a reply after the output that precedes it, or once the front has come back.
    @inline(never)
    private func queueReply(_ header: FrameHeader, _ encode: PayloadEncoder) throws(CBORError) {
        var writer = CBORWriter()
        try header.write(into: &writer, encode)
        sendAnswer(writer.copyBytes(), to: header.sequence)
    }

    /// Answers an event whose handler has thrown or was not run.
    func fail(_ sequence: UInt64, _ fault: RemoteFault) {
        guard handlerFinished(sequence) != .ignore else { return }
        sendFault(fault, answering: sequence)
    }

    /// Sends the fault of an event whose handler counts as finished.
    func sendFault(_ fault: RemoteFault, answering sequence: UInt64) {
        do {
            let frame = try fault.frame(answering: sequence)
            if let ledger = stage.ledger, ledger.mustRecord(id, sequence) {
                ledger.answered(id, sequence, frame)
            }
            sendAnswer(frame, to: sequence)
        } catch {
            refuse(Refusal(.overloaded, "\(error.detail)"))
        }
    }

    /// Sends an answer, and keeps it until the front has it.
    private func sendAnswer(_ frame: [UInt8], to sequence: UInt64) {
        frame.withUnsafeBytes { machine.events.answerEncoded(sequence, $0) }
        ordered(frame)
    }

    // MARK: - Durable sessions

    /// Answers an event whose handler has made a change and returned.
    @inline(never)
    private func replyDurably(
        to sequence: UInt64, recordedBy recorder: SessionLedger, _ encode: PayloadEncoder
    ) {
        var writer = CBORWriter()
        do throws(CBORError) {
            try FrameHeader(.reply, sequence: sequence).write(into: &writer, encode)
            try recorder.handlerSucceeded()
        } catch {
            recorder.handlerFailed()
            return fail(
                sequence,
                RemoteFault(.failed, "the result, or what has changed, cannot be kept: \(error)"))
        }
        guard handlerFinished(sequence) != .ignore else { return }
        let frame = writer.copyBytes()
        recorder.answered(id, sequence, frame)
        sendAnswer(frame, to: sequence)
    }

    /// Lets the ledger drop answers from memory that the front has received.
    @inline(never)
    func answersConfirmed() {
        stage.ledger?.confirmed(
            by: id, forgotten: machine.events.forgottenUnconfirmed,
            keepingFrom: machine.events.oldestKept)
    }

    /// Drops the effects of a handler that has failed since it presented them.
    func withdraw(_ frames: [[UInt8]]) {
        for frame in frames { output.withdraw(effect: frame) }
    }

    /// Resumes the events of a restored session's front.
    func restore(_ front: FrontImage) {
        // Their interactors do not know of it: they exist only where a front has them attached.
        let interrupted = front.begun.map { ($0.sequence, session.interruption(of: $0.sequence)) }
        let answers = front.answers.map { ($0.sequence, $0.frame) } + interrupted
        machine.events.restored(
            started: front.started, forgotten: front.forgotten,
            answers: answers.sorted { $0.0 < $1.0 })
    }
}

extension RemoteFault {
    /// Returns the frame that answers an event.
    func frame(answering sequence: UInt64) throws(CBORError) -> [UInt8] {
        try FrameHeader(.fault, sequence: sequence).encoded(fault)
    }

    /// The fault as it crosses.
    var fault: Fault {
        Fault(code: code.rawValue, message: message, error: error?.bytes, receipt: receipt)
    }
}
