// Peer door: what a hostile front, tool or worker draws on a connection to napkind.
//
// Spec       Protocol/SPEC.md, sections 4 (Connection set-up) and 6 (Messages)

import Glibc
import NapkinProtocol
import ProofSupport

/// What is sent to napkind.
enum DoorMove {
    case hello, query, open, ping, pong, register, goodbye, refused, other
}

extension Peer {
    private static let greetings = Lots<DoorMove>([
        (90, .hello), (2, .query), (2, .open), (1, .ping), (1, .pong), (1, .register),
        (1, .goodbye), (1, .refused), (3, .other),
    ])
    private static let requests = Lots<DoorMove>([
        (50, .query), (25, .open), (8, .ping), (8, .pong), (1, .hello), (2, .register),
        (1, .goodbye), (1, .refused), (4, .other),
    ])
    /// Frames that napkind does not take from those who connect to it.
    private static let strangeKinds: [FrameKind] = [
        .welcome, .answer, .redirect, .attach, .attached, .transition, .state, .effect, .event,
        .reply, .fault, .ask, .askReply, .askEnded, .detach, .schema, .contractWanted, .contract,
        .received, .openURL, .workflowStep, .workflowEnded, .cancelWorkflow, .cancelEvent, .admit,
        .drain,
    ]

    func drawForDoor() {
        let lots = stage == .fresh ? Self.greetings : Self.requests
        switch lots.draw(&world.random) {
        case .hello: greetDoor()
        case .query: query()
        case .open: open()
        case .ping: ping()
        case .pong: pong()
        case .register: register()
        case .goodbye: goodbye()
        case .refused: refuse()
        case .other:
            let kind = Self.strangeKinds[world.random.below(Self.strangeKinds.count)]
            send(FrameHeader(kind, sequence: world.random.next() & 3), Payloads.any(kind))
            conclude(.violation)
        }
    }

    private func greetDoor() {
        guard stage == .fresh else {
            send(FrameHeader(.hello), Payloads.any(.hello))
            return conclude(.violation)
        }
        role = world.random.percent(60) ? .front : world.random.percent(80) ? .tool : .worker
        send(
            FrameHeader(.hello),
            Payloads.hello(role: role, ticket: world.random.percent(10) ? "x" : nil))
        stage = .greeted
        control.append(.welcome)
    }

    // MARK: - Requests

    private func query() {
        switch world.random.below(100) {
        case 0..<20: ask(.apps, .answer)
        case 20..<38: ask(.sessions(app: Payloads.app), .answer)
        case 38..<53: ask(.tree(app: Payloads.app, session: nil), .answer)
        case 53..<63: ask(.tree(app: nil, session: world.sessions[0].name), .answer)
        case 63..<65: ask(.tree(app: nil, session: nil), .badRequest)
        case 65..<68: ask(.tree(app: nil, session: "nowhere"), .unknownSession)
        case 68..<72: ask(.more(app: Payloads.app, session: nil, cursor: .max), .badRequest)
        case 72..<77: ask(.kill(session: "nowhere"), .unknownSession)
        case 77..<82: kill()
        case 82..<90: ask(.schema(app: Payloads.app), .answer)
        case 90..<95: ask(.schema(app: "nothing"), .unknownApp)
        default: request(.query, Payloads.unknownQuery, .badRequest, of: [.front, .tool])
        }
    }

    private func ask(_ query: Query, _ allowed: Outcome) {
        request(.query, Payloads.encoded(query), allowed, of: [.front, .tool])
    }

    private func kill() {
        let session = world.sessions[1 + world.random.below(world.sessions.count - 1)]
        let counts = stage == .greeted && role != .worker
        ask(.kill(session: session.name), [.answer, .unknownSession])
        if counts { world.kill(session) }
    }

    private func open() {
        let siege = world.sessions[0].name
        switch world.random.below(100) {
        case 0..<15: open(Open(app: Payloads.app, session: siege), [.redirect, .tooMany])
        case 15..<30:
            let join = Open(app: Payloads.app, session: siege, creates: false)
            open(join, [.redirect, .tooMany])
        case 30..<55: open(Open(app: "nothing"), .unknownApp)
        case 55..<75: open(Open(app: Payloads.app, session: "a b"), .badRequest)
        default: open(Open(app: Payloads.app, session: "no", creates: false), .unknownSession)
        }
    }

    private func open(_ open: Open, _ allowed: Outcome) {
        request(.open, Payloads.encoded(open), allowed, of: [.front])
    }

    private func request(
        _ kind: FrameKind, _ payload: [UInt8], _ allowed: Outcome, of roles: [PeerRole]
    ) {
        if world.random.percent(85) { lastSequence += 1 }
        let sequence = world.random.percent(5) ? UInt64.max : lastSequence
        send(FrameHeader(kind, sequence: sequence), payload)
        guard stage == .greeted, roles.contains(role) else { return conclude(.violation) }
        expect(sequence, allowed, .soon)
    }

    /// From a front; from a worker of an unknown app; from one that is not who it says.
    private func register() {
        let isUnknown = world.random.percent(50)
        let register = Register(
            app: isUnknown ? "nothing" : Payloads.app, pid: isUnknown ? getpid() : 1,
            socket: "/s", sessions: [])
        send(FrameHeader(.register), Payloads.encoded(register))
        conclude(stage == .greeted && role == .worker && isUnknown ? .unknownApp : .violation)
    }
}
