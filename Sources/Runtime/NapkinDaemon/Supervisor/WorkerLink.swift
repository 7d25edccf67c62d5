// WorkerLink: napkind's connection to one registered worker, with its open requests.
//
// Ownership  owned by its supervisor; owns the link and the continuations of its requests.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

@MainActor
final class WorkerLink {
    typealias Answer = Result<AnswerPiece, Refusal>

    /// The time limit for an answer. Chosen: a worker holds no answer back for more than 2 s, and
    /// answers other requests at once, even on a busy machine.
    static let patience = Duration.seconds(10)
    /// The time limit for a worker that is known to be silent. Chosen: a napkind that was itself
    /// stopped reads the worker's earlier frames within this time.
    private static let lastPatience = Duration.milliseconds(100)

    /// The size limit of a contract, over all pieces, in bytes. Chosen: a hundred large ones.
    private static let contractBytesMax = 16 * 1024 * 1024

    let link: Link
    let register: Register
    /// The supervisor's number for this connection.
    let number: UInt64
    private var machine = ControlLineStateMachine(role: .napkind)
    private var asked: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    private var deadlines: [UInt64: LoopTimer] = [:]
    /// The number of fronts that the worker has reported, plus those admitted since.
    private(set) var attachedFronts: Int
    /// The unanswered requests to admit a front.
    private var admits: Set<UInt64> = []

    /// The worker has registered on `link`.
    init(link: Link, number: UInt64, register: Register) {
        self.link = link
        self.number = number
        self.register = register
        attachedFronts = Int(register.fronts ?? 0)
        _ = machine.frameReceived(FrameHeader(.register))
    }

    /// Sends a frame and waits a limited time for its answer, since a worker may be stopped or in
    /// an endless loop.
    ///
    /// - Parameter silence: returns how long the worker has answered nothing.
    func ask(
        _ query: Query, within patience: Duration = patience,
        silence: @escaping () -> Duration = { .zero }
    ) async throws(Refusal) -> AnswerPiece {
        try await ask(.query, within: patience, silence) { $0.send($1, value: query) }
    }

    /// Returns the contract of the worker's program.
    func contract() async throws(Refusal) -> AppSchema {
        var piece = try await ask(.schema(app: register.app))
        var bytes = piece.bytes
        while piece.cursor != 0, bytes.count <= Self.contractBytesMax {
            piece = try await ask(.more(app: register.app, session: nil, cursor: piece.cursor))
            bytes += piece.bytes
        }
        guard let schema = bytes.withUnsafeBytes({ $0.decoded(AppSchema.self) }) else {
            throw Refusal(
                .workerUnavailable, "the contract of \(register.app) cannot be read")
        }
        return schema
    }

    /// Announces a front to the worker, which knows the ticket when this returns.
    func admit(_ admit: Admit) async throws(Refusal) {
        _ = try await ask(.admit) { $0.send($1, value: admit) }
    }

    private func ask(
        _ kind: FrameKind, within patience: Duration = patience,
        _ silence: @escaping () -> Duration = { .zero },
        _ send: (Link, FrameHeader) -> Void
    ) async throws(Refusal) -> AnswerPiece {
        guard link.isOpen else { throw Self.unavailable(register.app) }
        switch machine.requested() {
        case .send(let sequence):
            if kind == .admit { admits.insert(sequence) }
            send(link, FrameHeader(kind, sequence: sequence))
            expectAnswer(to: sequence, since: .now, within: patience, silence)
            defer { deadlines.removeValue(forKey: sequence)?.cancel() }
            let answer = await withCheckedContinuation { asked[sequence] = $0 }
            return try answer.get()
        case .refuseLost:
            throw Self.unavailable(register.app)
        case .refuseExcess:
            throw Refusal(
                .overloaded,
                "the worker of \(register.app) has \(Limits.controlRequestsMax) requests to "
                    + "answer; try again")
        }
    }

    /// Ends the request at its deadline, or earlier if the worker is silent: a worker that is busy
    /// with a long answer still answers pings.
    private func expectAnswer(
        to sequence: UInt64, since start: ContinuousClock.Instant, within patience: Duration,
        _ silence: @escaping () -> Duration
    ) {
        let rest = min(
            patience - start.duration(to: .now), min(patience, Self.patience) - silence())
        deadlines[sequence] = LoopTimer(deadline: max(Self.lastPatience, rest)) { [weak self] in
            let (waited, silent) = (start.duration(to: .now), silence())
            guard waited >= patience || silent >= min(patience, Self.patience) else {
                self?.expectAnswer(to: sequence, since: start, within: patience, silence)
                return
            }
            self?.overdue(sequence, after: max(waited, silent))
        }
    }

    private func overdue(_ sequence: UInt64, after patience: Duration) {
        guard machine.requestOverdue(sequence) else { return }
        let seconds = patience.components.seconds
        let silence = Refusal(
            .workerUnavailable,
            "the worker of \(register.app) (pid \(register.pid)) has not answered for "
                + "\(seconds) s: it is stopped, or busy with something that never awaits; try "
                + "again, continue it with `kill -CONT \(register.pid)`, or end it with "
                + "`kill -KILL \(register.pid)`")
        end(sequence, .failure(silence))
    }

    /// Ends the unanswered requests to admit a front.
    func refuseAdmissions(_ refusal: Refusal) {
        for sequence in admits where machine.requestOverdue(sequence) {
            end(sequence, .failure(refusal))
        }
    }

    private func end(_ sequence: UInt64, _ answer: Answer) {
        let asked = asked.removeValue(forKey: sequence)
        Loop.keepingResumesOnLoop { asked?.resume(returning: answer) }
    }

    /// Tells the worker to shut down in good order.
    func drain() {
        machine.drainSent()
        link.send(FrameHeader(.drain), value: true)
    }

    /// The number of fronts that are attached or being admitted.
    var fronts: Int { attachedFronts + admits.count }

    /// Updates the link from the worker's newest registration.
    func workerReported(_ register: Register) {
        if let fronts = register.fronts { attachedFronts = Int(fronts) }
    }

    /// Handles a frame that the worker has sent after its registration.
    func received(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        if admits.remove(header.sequence) != nil, header.kind == .answer { attachedFronts += 1 }
        switch machine.frameReceived(header) {
        case .endRequest(let sequence):
            let answer: Answer =
                if header.kind == .refused {
                    .failure(
                        payload.decoded(Refusal.self)
                            ?? Refusal(.badRequest, "the worker refused, unreadably"))
                } else {
                    .success(AnswerPiece(bytes: Array(payload), cursor: header.node))
                }
            end(sequence, answer)
        case .violation(let what):
            link.violate(what)
        case .takeRegistration, .takeRequest, .drain, .ignore:
            break
        }
    }

    func ended() {
        for sequence in machine.connectionEnded() {
            end(sequence, .failure(Self.unavailable(register.app)))
        }
    }

    private static func unavailable(_ app: String) -> Refusal {
        Refusal(.workerUnavailable, "the worker of \(app) ended; try again")
    }
}
