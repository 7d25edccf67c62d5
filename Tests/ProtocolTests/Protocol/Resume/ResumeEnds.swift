// ResumeEnds: both ends of a session's link, as they are or with one flaw.

import NapkinProtocol

/// What a machine could get wrong. The search must find each.
enum Flaw: String, CaseIterable, Sendable {
    // A worker that …
    case runsAgainWhatIsSentAgain
    case forgetsAnswersWithTheConnection
    case keepsTheOldConnection
    // A front that …
    case sendsNothingAgain
    case sendsAgainInReverse
    case countsAnewOnResume
    case confirmsWhatHasNotArrived
    case takesSentForUnsent

    /// Whether it shows only where a worker dies.
    var needsCrash: Bool { self == .takesSentForUnsent }
}

/// A worker's end: the real machine, unless it has a flaw.
struct WorkerEnd: Hashable {
    private(set) var machine: SeatEvents
    private let flaw: Flaw?

    init(_ front: UInt64, flaw: Flaw?) {
        machine = SeatEvents(front: front, window: 8)
        self.flaw = flaw
    }

    mutating func attached() { machine.attached() }

    mutating func connectionEnded() {
        if flaw == .forgetsAnswersWithTheConnection { _ = machine.receivedReceived(sent) }
        machine.connectionEnded()
        sent = 0
    }

    /// Answers sent on this connection.
    private var sent: UInt64 = 0

    mutating func eventReceived(_ sequence: UInt64) -> SeatEvents.Action {
        let action = machine.eventReceived(sequence)
        switch action {
        case .sendAgain where flaw == .runsAgainWhatIsSentAgain: return .run
        case .ignore where flaw == .runsAgainWhatIsSentAgain: return .run
        case .sendAgain: if flaw == .forgetsAnswersWithTheConnection { sent += 1 }
        default: break
        }
        return action
    }

    mutating func handlerFinished(_ sequence: UInt64) -> SeatEvents.FinishAction {
        let action = machine.handlerFinished(sequence)
        if action == .send, flaw == .forgetsAnswersWithTheConnection { sent += 1 }
        return action
    }

    mutating func answerEncoded(_ sequence: UInt64, _ frame: [UInt8]) {
        frame.withUnsafeBytes { machine.answerEncoded(sequence, $0) }
    }

    mutating func receivedReceived(_ count: UInt64) -> SeatEvents.Action {
        machine.receivedReceived(count)
    }
}

/// A front's end; its tokens are the numbers of its calls.
struct FrontEnd: Hashable {
    private(set) var machine = FrontEvents<UInt8>(answersPerConfirmation: 2)
    private let flaw: Flaw?

    init(flaw: Flaw?) { self.flaw = flaw }

    mutating func connected() -> SessionIdentity? { machine.connected() }

    mutating func attachedReceived(_ attached: Attached) -> FrontEvents<UInt8>.Action {
        let action = machine.attachedReceived(attached)
        guard case .attached(_, var ended, var frames) = action else { return action }
        let events = EventFrame.split(frames)
        switch flaw {
        case .takesSentForUnsent:
            ended = .init(notExecuted: ended.unknown + ended.notExecuted)
        case .sendsNothingAgain: frames = []
        case .sendsAgainInReverse: frames = events.reversed().flatMap(\.bytes)
        case .countsAnewOnResume:
            frames = zip(1..., events).flatMap { EventFrame(sequence: $0, call: $1.call).bytes }
        default: break
        }
        return .attached(attached, ended: ended, sendAgain: frames)
    }

    mutating func connectionEnded() { machine.connectionEnded() }
    mutating func resumeExpired() -> FrontEvents<UInt8>.Ended {
        machine.resumeExpired()
    }
    mutating func eventQueued(_ call: UInt8) -> Bool { machine.eventQueued(call) }
    mutating func creditGiven() -> (UInt8, UInt64)? { machine.creditGiven() }
    mutating func eventSent(_ call: UInt8, _ frame: [UInt8]) {
        frame.withUnsafeBytes { machine.eventSent(call, $0) }
    }
    mutating func answerReceived(_ sequence: UInt64) -> FrontEvents<UInt8>.Action {
        machine.answerReceived(sequence)
    }

    /// The number of a `received` frame that is due.
    mutating func confirmation() -> UInt64? {
        guard machine.isConfirmationDue, let count = machine.confirmationSent() else { return nil }
        return flaw == .confirmsWhatHasNotArrived ? count + 1 : count
    }
}

extension Attached {
    /// The front has been attached as `identity`.
    init(_ identity: SessionIdentity, window: Int, isResumed: Bool) {
        self.init(
            app: "a", session: "s", front: identity.front, epoch: identity.epoch, window: window,
            isResumed: isResumed)
    }
}

/// An event's frame, as short as can be.
struct EventFrame: Hashable {
    var sequence: UInt64
    var call: UInt8

    var bytes: [UInt8] { [UInt8(sequence), call] }

    static func split(_ bytes: [UInt8]) -> [EventFrame] {
        stride(from: 0, to: bytes.count, by: 2).map {
            EventFrame(sequence: UInt64(bytes[$0]), call: bytes[$0 + 1])
        }
    }
}

/// An answer's frame: which call's value it is, or that nobody knows any more.
struct AnswerFrame: Hashable {
    static let nobodyKnows: UInt8 = 255

    var sequence: UInt64
    var call: UInt8

    var bytes: [UInt8] { [UInt8(sequence), call] }

    static func split(_ bytes: [UInt8]) -> [AnswerFrame] {
        stride(from: 0, to: bytes.count, by: 2).map {
            AnswerFrame(sequence: UInt64(bytes[$0]), call: bytes[$0 + 1])
        }
    }
}
