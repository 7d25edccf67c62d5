// Peer worker: what a hostile front draws on a connection to the worker, and what must follow.
//
// Spec       Protocol/SPEC.md, sections 4 (Connection set-up) and 6 (Messages)

import NapkinProtocol
import ProofSupport

/// What is sent to a worker before the attach.
enum WorkerMove {
    case hello, attach, ping, pong, event, askReply, contract, detach, goodbye, refused, received
    case other
}

extension Peer {
    private static let greetings = Lots<WorkerMove>([
        (83, .hello), (1, .received), (3, .attach), (3, .event), (2, .ping), (1, .pong),
        (1, .askReply), (1, .contract), (1, .detach), (1, .goodbye), (1, .refused), (4, .other),
    ])
    private static let arrivals = Lots<WorkerMove>([
        (77, .attach), (1, .received), (5, .ping), (5, .pong), (1, .hello), (2, .event),
        (1, .askReply), (1, .contract), (1, .detach), (1, .goodbye), (1, .refused), (4, .other),
    ])
    private static let contracts = Lots<WorkerMove>([
        (70, .contract), (1, .received), (5, .ping), (5, .pong), (2, .attach), (2, .event),
        (1, .hello), (1, .detach), (1, .goodbye), (1, .refused), (2, .other),
    ])
    private static let visits = Lots<WorkerMove>([
        (750, .event), (40, .received), (110, .askReply), (40, .ping), (30, .pong), (5, .hello),
        (5, .attach), (4, .contract), (3, .detach), (3, .goodbye), (2, .refused), (8, .other),
    ])
    /// Frames that no worker takes from a front. The workflow to be cancelled was never opened.
    static let misdirected: [FrameKind] = [
        .welcome, .query, .answer, .open, .redirect, .attached, .transition, .state, .effect,
        .reply, .fault, .ask, .askEnded, .schema, .contractWanted, .workflowStep,
        .workflowEnded, .cancelWorkflow, .register, .admit, .drain,
    ]

    func drawForWorker() throws {
        let lots =
            switch stage {
            case .fresh: Self.greetings
            case .greeted: Self.arrivals
            case .asked: Self.contracts
            case .attached, .ended: Self.visits
            }
        try make(lots.draw(&world.random))
    }

    private func make(_ move: WorkerMove) throws {
        switch move {
        case .hello: try greetWorker()
        case .attach: try join()
        case .ping: ping()
        case .pong: pong()
        case .event: if !sendAgain() { event() }
        case .askReply: reply()
        case .contract: try contract()
        case .received: confirm()
        case .detach: detach()
        case .goodbye: goodbye()
        case .refused: refuse()
        case .other:
            let kind = Self.misdirected[world.random.below(Self.misdirected.count)]
            send(FrameHeader(kind, sequence: world.random.next() & 3), Payloads.any(kind))
            conclude(.violation)
        }
    }

    /// The connection is over, if it was not before.
    func conclude(_ how: Outcome) {
        if stage != .ended { mustEnd(how) }
    }

    // MARK: - On any connection

    func ping() {
        let sequence = world.random.next() >> UInt64(24 + world.random.below(40))
        send(FrameHeader(.ping, sequence: sequence))
        if stage == .fresh { return conclude(.violation) }
        if stage != .ended { pongs.append(sequence) }
    }

    /// To no ping.
    func pong() {
        send(FrameHeader(.pong, sequence: world.random.next() & 7), Payloads.yes)
        if stage == .fresh { conclude(.violation) }
    }

    func goodbye() {
        send(FrameHeader(.goodbye), Payloads.any(.goodbye))
        conclude(stage == .fresh ? .violation : .silence)
    }

    func refuse() {
        send(FrameHeader(.refused), Payloads.any(.refused))
        conclude(stage == .fresh ? .silence : .violation)
    }

    // MARK: - Getting in

    private func greetWorker() throws {
        guard stage == .fresh else {
            send(FrameHeader(.hello), Payloads.any(.hello))
            return conclude(.violation)
        }
        switch world.random.below(100) {
        case 0..<4: refusedHello(Payloads.hello(ticket: nil), .badTicket)
        case 4..<8: refusedHello(Payloads.hello(ticket: unknownTicket), .badTicket)
        case 8..<12: refusedHello(Payloads.hello(ticket: world.usedTicket), .badTicket)
        case 12..<15: refusedHello(Payloads.hello(ticket: world.expiredTicket), .badTicket)
        case 15..<17: refusedHello(Payloads.hello(ticket: world.revokedTicket), .badTicket)
        case 17..<19:
            let later = ProtocolVersion(7, 0)
            refusedHello(Payloads.hello(ticket: nil, newest: later, oldest: later), .version)
        case 19..<20:
            let client = String(repeating: "c", count: Limits.nameBytesMax + 1)
            refusedHello(Payloads.hello(ticket: nil, client: client), .violation)
        default: try admittedHello()
        }
    }

    private var unknownTicket: String {
        let digits = String(world.random.next() | 1 << 63, radix: 16)
        return digits + digits
    }

    private func refusedHello(_ payload: [UInt8], _ how: Outcome) {
        send(FrameHeader(.hello), payload)
        mustEnd(how)
    }

    private func admittedHello() throws {
        let known = world.drawSession()
        role = world.random.percent(3) ? .tool : world.random.percent(3) ? .worker : .front
        try greet(known)
    }

    /// A hello that must be welcomed.
    func greet(_ session: KnownSession) throws {
        let ticket = try world.goodTicket(session)
        // Some speak more than the worker does.
        let newest = world.random.percent(20) ? ProtocolVersion(1, 7) : .current
        send(FrameHeader(.hello), Payloads.hello(role: role, ticket: ticket, newest: newest))
        self.session = session
        stage = .greeted
        control.append(.welcome)
    }

    private func join() throws {
        guard stage == .greeted, role == .front else {
            send(FrameHeader(.attach), Payloads.any(.attach))
            return conclude(.violation)
        }
        let isReadOnly = world.random.percent(12)
        let declines = world.random.percent(30)
        attach = Attach(
            isReadOnly: isReadOnly, wantsSchema: world.random.percent(6),
            declinesAsks: declines ? true : nil)
        claim()
        guard world.random.percent(12) else { return try sendAttach() }
        attach.contracts = [Payloads.desk: 1, "questions.nothing": 2]
        send(FrameHeader(.attach), Payloads.encoded(attach))
        stage = .asked
        control.append(.contractWanted)
    }

    /// An attach that must be taken.
    func sendAttach() throws {
        send(FrameHeader(.attach), Payloads.encoded(attach))
        try letIn()
    }

    private func letIn() throws {
        stage = .attached
        isReadOnly = attach.isReadOnly
        isAskable = !attach.isReadOnly && attach.declinesAsks != true
        control +=
            attach.wantsSchema ? [.attached, .schema, .transition] : [.attached, .transition]
        try resume()
    }

    private func contract() throws {
        let fits = world.random.percent(80)
        send(FrameHeader(.contract), fits ? world.contract : Payloads.emptyContract)
        guard stage == .asked else { return conclude(.violation) }
        if fits { try letIn() } else { mustEnd(.badRequest) }
    }

    func detach() {
        send(FrameHeader(.detach), Payloads.yes)
        guard stage == .attached else { return conclude(.violation) }
        conclude(.silence)
        guard let known else { return }
        known.session.detached = [known] + known.session.detached.prefix(31)
        known.standing = nil
    }

    // MARK: - Answers to asks

    /// To an open one, to one that is over, to another front's, or to none.
    private func reply() {
        let dice = world.random.below(100)
        let mine = dice < 60 || asks.count > 16 ? asks.min() : nil
        let past = dice < 75 ? pastAsks.randomElement(using: &world.random) : nil
        let foreign = dice < 90 ? UInt64(1 + world.random.below(64)) : world.random.next()
        // A small number may be another front's open ask, whose answer counts from any askable one.
        let sequence = mine ?? past ?? foreign
        let payload = world.random.percent(90) ? Payloads.yes : Payloads.maybe
        send(FrameHeader(.askReply, sequence: sequence), payload)
        if stage == .attached {
            if asks.remove(sequence) != nil { pastAsks.insert(sequence) }
        } else {
            conclude(.violation)
        }
    }

    /// Answers all that is open here.
    func replyToAll() {
        for sequence in asks.sorted() {
            send(FrameHeader(.askReply, sequence: sequence), Payloads.yes)
            pastAsks.insert(sequence)
        }
        asks = []
    }
}
