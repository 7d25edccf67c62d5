// Visitor: a connection on which any message comes at any time.
//
// Invariant  `open` has what was sent here and is due an answer, unless the connection ends.

import Glibc
import NapkinProtocol
import ProofSupport

/// A hostile connection to napkind or to the worker.
final class Visitor {
    enum Place { case door, worker }
    private enum Stage { case fresh, greeted, attached }

    /// Frames that no worker, and napkind, takes from those who connect to it.
    private static let misdirected: [Place: [FrameKind]] = {
        let worker: [FrameKind] = [
            .welcome, .answer, .redirect, .attached, .transition, .state, .effect, .reply, .fault,
            .ask, .askEnded, .schema, .contractWanted, .workflowStep, .workflowEnded,
            .cancelWorkflow, .admit, .drain,
        ]
        let front: [FrameKind] = [
            .attach, .event, .askReply, .detach, .contract, .received, .openURL, .cancelEvent,
        ]
        return [.worker: worker + [.query, .open, .register], .door: worker + front]
    }()
    /// Methods whose handlers wait for somebody.
    private static let waiting = [Method.wait, Method.empty, Method.burn]
    private static let methods =
        [Method.release, Method.write, Method.tear, Method.replace, Method.unknown] + waiting

    private let siege: OrderSiege
    private let caller: Caller
    private let place: Place
    private var stage = Stage.fresh
    let session: String?
    private var redirect: Redirect?
    /// What its hello says, until that has been read.
    private var used: Redirect?
    /// Whether its role may ask napkind, and have fronts let in.
    private var (mayAsk, mayOpen) = (false, false)
    private(set) var identity: SessionIdentity?
    private var root: UInt32 = 1
    private var newest: UInt64 = 0
    /// The newest event of the front that this one says that it is.
    private var former: UInt64 = 0
    /// What has no answer yet, and whether that waits for somebody.
    private var open: [UInt64: Bool] = [:]
    /// Events that are answered when somebody calls `didTapRelease()`.
    private var waits: [UInt64] = []
    private var asks: [UInt64] = []
    /// Whether the connection must end for what was sent.
    private var mustEnd = false
    private(set) var isOver = false
    private(set) var answers = 0
    private var sent: [String] = []
    private var bytes: [UInt8] = []

    init(_ place: Place, _ siege: OrderSiege) throws {
        (self.place, self.siege) = (place, siege)
        let index = siege.random.percent(80) ? 0 : 1 + siege.random.below(3)
        let session = siege.sessions[index]
        redirect = place == .worker ? try siege.admission(to: session) : nil
        self.session = redirect == nil ? nil : session
        caller = try Caller(redirect?.socket ?? siege.inspector.path)
        caller.received = { [unowned self] in try received($0, $1) }
    }

    /// Leaves without a word, and gives back what it has not used.
    func vanish() {
        caller.close()
        if let redirect { siege.keep(redirect) }
    }

    // MARK: - Sending

    private func send(_ header: FrameHeader, _ payload: [UInt8] = [], ends: Bool = false) {
        sent = sent.suffix(31) + ["\(header.kind) \(header.sequence)"]
        bytes += Oversize.frame(header, payload)
        if ends { mustEnd = true }
    }

    func sendsSomething() throws {
        let dice = siege.random.below(100)
        if dice < 4 {
            let kinds = Self.misdirected[place] ?? []
            let kind = kinds[siege.random.below(kinds.count)]
            let header = FrameHeader(kind, sequence: siege.random.next() & 3)
            return send(header, Payloads.any(kind), ends: true)
        }
        if dice < 6 { return send(FrameHeader(.goodbye), Payloads.any(.goodbye), ends: true) }
        if dice < 7 { return send(FrameHeader(.refused), Payloads.any(.refused), ends: true) }
        switch stage {
        case .fresh: greet(isWrong: dice < 20)
        case _ where dice < 9: send(FrameHeader(.hello), Payloads.any(.hello), ends: true)
        case _ where dice < 14: send(FrameHeader(.ping, sequence: siege.random.next() & 7))
        case _ where dice < 18: send(FrameHeader(.pong, sequence: siege.random.next() & 7))
        case .greeted where place == .door: try request()
        case .greeted: attach(isWrong: dice < 26)
        case .attached: try visit()
        }
    }

    private func greet(isWrong: Bool) {
        guard isWrong else {
            let roles: [PeerRole] = place == .door ? [.front, .front, .tool, .worker] : [.front]
            let role = roles[siege.random.below(roles.count)]
            // Some speak more than the worker does.
            let newest = siege.random.percent(20) ? ProtocolVersion(1, 7) : .current
            send(
                FrameHeader(.hello),
                Payloads.hello(role: role, ticket: redirect?.ticket, newest: newest))
            // Behind a violation it is not read.
            if !mustEnd { used = redirect.take() }
            stage = .greeted
            mayAsk = role != .worker
            mayOpen = role == .front
            return
        }
        let later = ProtocolVersion(7, 0)
        let name = String(repeating: "c", count: Limits.nameBytesMax + 1)
        let bad = siege.badTickets[siege.random.below(siege.badTickets.count)]
        var hellos = [
            Payloads.hello(ticket: nil, newest: later, oldest: later),
            Payloads.hello(ticket: nil, client: name), Payloads.any(.open),
        ]
        if place == .worker {
            hellos += [Payloads.hello(ticket: nil), Payloads.hello(ticket: bad)]
        }
        send(FrameHeader(.hello), hellos[siege.random.below(hellos.count)], ends: true)
    }

    // MARK: - napkind

    private func request() throws {
        let random = siege.random.below(12)
        let queries: [Query] = [
            .apps, .sessions(app: Payloads.app), .tree(app: Payloads.app, session: nil),
            .tree(app: nil, session: "siege"), .tree(app: nil, session: nil),
            .more(app: Payloads.app, session: nil, cursor: .max), .kill(session: "nowhere"),
            .schema(app: Payloads.app), .schema(app: "nothing"),
        ]
        newest = siege.random.percent(85) ? newest + 1 : newest
        let header = FrameHeader(random < 9 ? .query : .open, sequence: newest)
        // One that has the same number as one before is as good as any.
        if open[newest] != nil { return }
        if random < 9 {
            send(header, Payloads.encoded(queries[random]), ends: !mayAsk)
        } else {
            let opens = [
                Open(app: Payloads.app, session: "siege"), Open(app: "nothing"),
                Open(app: Payloads.app, session: "no", creates: false),
            ]
            send(header, Payloads.encoded(opens[random - 9]), ends: !mayOpen)
        }
        open[newest] = false
        // A worker of an unknown app, and one that is not who it says.
        guard siege.random.percent(3) else { return }
        let register = Register(app: "nothing", pid: getpid(), socket: "/s", sessions: [])
        send(FrameHeader(.register), Payloads.encoded(register), ends: true)
    }

    // MARK: - The worker

    private func attach(isWrong: Bool) {
        guard !isWrong else {
            let kinds: [FrameKind] = [.event, .askReply, .received, .contract, .detach]
            let kind = kinds[siege.random.below(kinds.count)]
            return send(FrameHeader(kind), Payloads.any(kind), ends: true)
        }
        var attach = Attach(
            isReadOnly: siege.random.percent(12), wantsSchema: siege.random.percent(6),
            declinesAsks: siege.random.percent(30) ? true : nil)
        let known = siege.identities.randomElement(using: &siege.random)
        if siege.random.percent(40), let known {
            // Its own, another front's, or half of one; of this epoch, or another.
            attach.previousFront = siege.random.percent(90) ? known.front : nil
            attach.previousEpoch = siege.random.percent(90) ? known.epoch : nil
            former = .max
        }
        if siege.random.percent(5) {
            attach.contracts = [Payloads.desk: 1, "questions.nothing": 2]
            send(FrameHeader(.attach), Payloads.encoded(attach))
            return send(FrameHeader(.contract), Payloads.emptyContract, ends: true)
        }
        send(FrameHeader(.attach), Payloads.encoded(attach))
        stage = .attached
    }

    private func visit() throws {
        switch siege.random.below(100) {
        case 0..<78: event()
        case 78..<88:
            let ask = asks.popLast() ?? siege.random.next() & 63
            let isRead = siege.random.percent(90)
            send(FrameHeader(.askReply, sequence: ask), isRead ? Payloads.yes : Payloads.maybe)
        case 88..<95:
            send(FrameHeader(.received, sequence: siege.random.next() & 3 + UInt64(answers / 2)))
        case 95: send(FrameHeader(.attach), Payloads.any(.attach), ends: true)
        case 96: send(FrameHeader(.detach), Payloads.yes, ends: true)
        default:
            guard let session, session != "siege" else { return event() }
            try siege.kill(session)
        }
    }

    private func event() {
        let strange = siege.random.next() >> UInt64(siege.random.below(64))
        let sequence = siege.random.percent(96) ? newest + 1 : strange
        let method =
            siege.random.percent(50)
            ? Method.fail : Self.methods[siege.random.below(Self.methods.count)]
        let nodes = [root, root, root, root, root + UInt32(siege.random.below(8)), 0, .max]
        let epoch = identity?.epoch ?? 0
        send(
            FrameHeader(
                .event, flags: siege.random.percent(3) ? 0x80 : 0,
                node: nodes[siege.random.below(nodes.count)],
                epoch: siege.random.percent(85) ? epoch : epoch ^ 77, sequence: sequence,
                method: method),
            siege.random.percent(4) ? Payloads.maybe : [])
        // What comes out of turn ends the connection, or is an event of before.
        guard sequence == newest + 1 else { return }
        newest = sequence
        // Its answer may be that of a handler which an earlier connection has started.
        open[sequence] = former > 0 || Self.waiting.contains(method)
        if method == Method.wait, former == 0 { waits.append(sequence) }
    }

    // MARK: - Reading

    /// Sends what was drawn; returns when all that is due has come, or the end has.
    func settles() throws {
        do {
            caller.send(bytes)
            bytes = []
            if !mustEnd, stage == .fresh { return }
            isOver = try !caller.settles()
            while !isOver, open.values.contains(false) { isOver = try !caller.until { _ in true } }
            if !isOver, let used = used.take() { siege.spoil(used.ticket) }
            try Failure.unless(isOver || !mustEnd, "what nobody may send was taken")
        } catch {
            throw Failure("\(place), \(stage): \(error)\nsent: \(sent.joined(separator: ", "))")
        }
    }

    /// Handlers that waited have been released.
    func nothingWaits() {
        for sequence in waits where open[sequence] != nil { open[sequence] = false }
        waits = []
    }

    private func received(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        switch header.kind {
        case .attached:
            let attached = try Payloads.decoded(Attached.self, payload)
            let identity = SessionIdentity(front: attached.front, epoch: attached.epoch)
            self.identity = identity
            siege.identities = siege.identities.suffix(15) + [identity]
        case .transition where header.flags & Transition.snapshotFlag != 0:
            if case .mount(let mount)? = try Payloads.operations(payload).first {
                root = mount.node
            }
        case .ask: asks.append(header.sequence)
        case .redirect:
            siege.keep(try Payloads.decoded(Redirect.self, payload))
            try answered(header.sequence)
        case .reply, .fault, .answer: try answered(header.sequence)
        // napkind refuses requests; a hello's refusal is the end.
        case .refused where place == .door && open[header.sequence] != nil:
            try answered(header.sequence)
        default: break
        }
    }

    private func answered(_ sequence: UInt64) throws {
        answers += 1
        guard open.removeValue(forKey: sequence) == nil, former == 0 else { return }
        throw Failure("\(sequence) was answered twice, or never sent")
    }
}
