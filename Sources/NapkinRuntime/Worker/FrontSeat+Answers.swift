// FrontSeat+Answers: answers events; those of a durable session are recorded first.
//
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol

extension FrontSeat {
    /// An event's handler has returned; `encode` writes its result.
    func reply(to sequence: UInt64, _ encode: PayloadEncoder) {
        if session.activeLedger?.mustRecord(id, sequence) == true {
            return replyDurably(to: sequence, encode)
        }
        let action = handlerFinished(sequence)
        if action == .ignore { return }
        pump()
        let header = FrameHeader(.reply, sequence: sequence)
        do {
            guard action == .send, link != nil, queue.isEmpty, !isHeld else {
                return try keep(header, encode)
            }
            // SAFETY: the seat keeps its link, and the channel does until it has closed.
            try withUnretained(link) { (link) throws(CBORError) in
                guard link.isOpen, !link.isSlow else { return try keep(header, encode) }
                try link.send(header, keep: { machine.events.answerEncoded(sequence, $0) }, encode)
            }
        } catch {
            answer(sequence, RemoteFault(.failed, "the result cannot be encoded: \(error)"))
        }
    }

    @inline(never)
    func keep(_ header: FrameHeader, _ encode: PayloadEncoder) throws(CBORError) {
        var writer = CBORWriter()
        try header.write(into: &writer, encode)
        answer(header.sequence, frame: writer.copyBytes())
    }

    /// An event's handler has thrown, or was not run.
    func fail(_ sequence: UInt64, _ fault: RemoteFault) {
        guard handlerFinished(sequence) != .ignore else { return }
        answer(sequence, fault)
    }

    func answer(_ sequence: UInt64, _ fault: RemoteFault) {
        do {
            answer(sequence, frame: try fault.frame(answering: sequence))
        } catch {
            refuse(Refusal(.overloaded, "\(error.detail)"))
        }
    }

    /// Sends an answer, which waits while the front is away.
    func answer(_ sequence: UInt64, frame: [UInt8]) {
        if let ledger = session.activeLedger, ledger.mustRecord(id, sequence) {
            ledger.answered(id, sequence, frame)
        }
        send(frame, answering: sequence)
    }

    private func send(_ frame: [UInt8], answering sequence: UInt64) {
        frame.withUnsafeBytes { machine.events.answerEncoded(sequence, $0) }
        ordered(frame)
    }

    // MARK: - Durable sessions

    /// Whether a handler may still take back what it has presented.
    var isHeld: Bool { session.activeLedger?.isInStretch == true }

    /// The session is kept from now on.
    func awoke() {
        link?.journal = session.journal
    }

    /// The handler of an event that has changed something has returned.
    @inline(never)
    func replyDurably(to sequence: UInt64, _ encode: PayloadEncoder) {
        guard let ledger = session.activeLedger else { return }
        var writer = CBORWriter()
        do throws(CBORError) {
            try FrameHeader(.reply, sequence: sequence).write(into: &writer, encode)
            try ledger.handlerSucceeded()
        } catch {
            ledger.handlerFailed()
            return fail(
                sequence,
                RemoteFault(.failed, "the result, or what has changed, cannot be kept: \(error)"))
        }
        guard handlerFinished(sequence) != .ignore else { return }
        let frame = writer.copyBytes()
        ledger.answered(id, sequence, frame)
        send(frame, answering: sequence)
    }

    /// The front has received answers: the ledger need not keep them in memory.
    @inline(never)
    func answersConfirmed() {
        guard let ledger = session.activeLedger else { return }
        ledger.confirmed(
            by: id, forgotten: machine.events.forgottenUnconfirmed,
            keepingFrom: machine.events.oldestKept)
    }

    /// Drops an effect that was presented by a handler that has failed since.
    func withdraw(_ frames: [[UInt8]]) {
        for frame in frames { queue.withdraw(effect: frame) }
    }

    /// Continues the events of a front of a restored session.
    func restore(_ front: FrontImage) {
        // Their interactors have not been told yet: they are where only a front has them attached.
        let interrupted = front.begun.map {
            ($0.sequence, SessionHost.interruption(of: $0.sequence))
        }
        let answers = front.answers.map { ($0.sequence, $0.frame) } + interrupted
        machine.events.restored(
            started: front.started, forgotten: front.forgotten,
            answers: answers.sorted { $0.0 < $1.0 })
    }
}

extension RemoteFault {
    /// Returns the frame that answers an event.
    func frame(answering sequence: UInt64) throws(CBORError) -> [UInt8] {
        try FrameHeader(.fault, sequence: sequence).encoded(
            Fault(code: code.rawValue, message: message, error: error?.bytes))
    }
}
