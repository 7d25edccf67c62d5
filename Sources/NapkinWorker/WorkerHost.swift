// WorkerHost: the process of one app: its sessions, its fronts, its connection to napkind.
//
// Ownership  owns its files, the control link, the sessions, and the fronts that are arriving.
// Invariant  holds its lock for its whole life: no second process can be this worker of the app.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinDaemon
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Hosts the sessions of one app.
@MainActor
final class WorkerHost {
    /// How long handlers may take to finish when the worker drains. Chosen.
    static let handlerDeadline = Duration.seconds(2)
    /// How many ended sessions are kept for the inventory, the newest ones. Chosen.
    static let endedMax = 16

    let app: any App.Type
    let place: WorkerPlace
    private let files: ProcessFiles
    private var watch = PeerWatch()
    let logger: Logger
    private let isInProcess: Bool
    // `init` creates it last, since it takes `self` for its worker.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var control: ControlLink!
    var sessions: [String: Session] = [:]
    let ids: SessionIDs
    /// Where durable sessions are kept; `nil` if none are.
    let journal: Journal?
    let journalPath: String
    /// Why stored sessions could not be restored.
    var defects: [String: RestoreFailure] = [:]
    /// Sessions that are being loaded, part by part.
    var loads = SessionLoads()
    /// Ends when a session's return to an older record has: nobody joins it until then.
    var rewinds: [String: Task<LedgerRewind, any Error>] = [:]
    /// Sessions that have ended but of which something may be left.
    var endedSessions: [SessionHost] = []
    var arrivals: [ObjectIdentifier: ArrivingFront] = [:]
    /// Whether a session has had another name in this process.
    var hasRenamed = false
    var tickets = TicketBook()
    /// The rests of answers that do not fit into one frame.
    let answers = LongAnswers()
    /// The contracts with which fronts' contracts are compared.
    private(set) lazy var contracts = ContractCheck(app: app.id, features: app.features)
    /// Takes idle durable sessions out of the memory.
    private(set) lazy var passivation = Passivation(of: self, after: app.passivatesAfter)
    private var ended: CheckedContinuation<Void, Never>?
    private var hasEnded = false
    private(set) var isDraining = false

    /// The sessions that run also while no front is there.
    let opening: [String]
    /// Where the app keeps its files.
    let dataDirectory: String
    let cacheDirectory: String
    let configuration: Configuration
    /// How many events of a front run in a second; `nil` for any number.
    let eventRate: EventRate?
    /// What napkind knows of the number of fronts.
    private(set) lazy var report = FrontReport(
        count: { [weak self] in self?.frontCount ?? 0 },
        tell: { [weak self] in self?.control.announce([]) })

    struct Session {
        var host: SessionHost
        /// Its id towards the app, which a rename does not change; `nil` until it is known.
        var id: String?
        var startedAt: UInt64
        /// Present until the tree has been launched.
        var launch: SessionLaunch?
    }

    init(
        app: any App.Type, place: WorkerPlace, settings: [String], opening: [String]? = nil,
        eventsMax: Int? = nil, listening: Int32, control: Int32, isInProcess: Bool = false
    ) throws(StartError) {
        eventRate = eventsMax.map { EventRate(most: $0) }
        self.app = app
        self.place = place
        configuration = try AppConfiguration.read(for: app, settings)
        self.isInProcess = isInProcess
        var logger = Logger(label: "worker.\(app.id)")
        logger[metadataKey: "worker.pid"] = "\(getpid())"
        self.logger = logger
        let state = try StateDirectory(place.stateDirectory)
        try state.ensure()
        dataDirectory = try state.directory(
            "data", of: app.id, logger, preferring: SocketDirectory.data)
        cacheDirectory = try state.directory(
            "cache", of: app.id, logger, preferring: SocketDirectory.cache)
        let id = WorkerID(app: app.id, number: place.number)
        let lockPath = state.workerLock(id)
        self.opening = opening ?? app.sessions.map(\.name)
        ids = try SessionIDs(of: app.id, in: state, hasPeers: opening != nil)
        guard let lock = try ProcessLock.acquire(lockPath) else {
            throw StartError(EX_TEMPFAIL, "another worker of \(app.id) holds \(lockPath)")
        }
        journalPath = state.journal(of: id)
        journal = try Journal.opened(
            at: journalPath, in: state.journalDirectory, app, isInProcess: isInProcess, logger)
        defects = (journal?.damaged ?? [:]).mapValues { RestoreFailure(reason: $0, isDamage: true) }
        ids.retake(journal?.ids ?? [])
        do throws(TransportError) {
            files = ProcessFiles(
                socket: try SocketPath(place.socket), acceptor: try Acceptor(adopting: listening),
                lock: lock, in: state, logger: logger)
            self.control = ControlLink(
                worker: self, channel: try Channel.adopt(descriptor: control),
                daemonSocket: place.daemonSocket)
        } catch {
            throw StartError(error)
        }
        journal?.onStored = { [weak self] name in self?.control.announce([name]) }
        journal?.onShortage = { [weak self] in self?.roomChanged($0) }
    }

    // MARK: - Running

    /// Serves until napkind or a signal ends it. Returns the exit code.
    func run() async -> Int32 {
        // Registered with the sessions, and before a front comes: it waits for their trees.
        for name in opening where sessions[name] == nil { open(name) }
        wakeSessionsWhenDue()
        files.start { [weak self] channel in self?.accepted(channel) }
        var watchers: [SignalWatcher] = []
        if !isInProcess {
            do throws(TransportError) {
                watchers = try DaemonSignals.onDraining { [weak self] in self?.end() }
            } catch {
                logger.error("no signal handler", metadata: ["error": "\(error)"])
                return EX_OSERR
            }
        }
        if !hasEnded { await withCheckedContinuation { ended = $0 } }
        await drain()
        for watcher in watchers { watcher.cancel() }
        return EX_OK
    }

    /// Asks the worker to end in good order.
    func end() {
        hasEnded = true
        ended?.resume()
        ended = nil
    }

    private func drain() async {
        isDraining = true
        journal?.dues.stop()
        files.close(removingSocket: false)
        await finishHandlers()
        let refusal = Refusal(.shuttingDown, "\(app.id) is shutting down")
        for link in arrivals.values { link.link.refuse(refusal) }
        // What happens from here on is not recorded: the sessions go on from where they are.
        for session in sessions.values { session.host.dismissFronts(refusal) }
        await journal?.settle(unlessFull: true)
        for session in sessions.values { await session.host.end(refusal) }
        await passivation.end()
        // The fronts' last frames leave before the process ends.
        await Loop.shared.flushed()
        control.close()
        // Sessions may have been ended meanwhile.
        await journal?.settle()
        await journal?.shrink()
        journal?.leaveNames(at: journalPath)
    }

    /// Waits until no event's handler runs, or for `handlerDeadline`.
    private func finishHandlers() async {
        let deadline = Loop.shared.now + UInt64(Self.handlerDeadline.components.seconds * 1000)
        while sessions.values.contains(where: { $0.host.runningHandlers > 0 }),
            Loop.shared.now < deadline
        {
            // This task is never cancelled, since nobody holds it.
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// A napkind is connected: the fronts that it sends here must find the socket.
    func foundDaemon() {
        files.areKept = true
        files.restore()
    }

    /// The connection to napkind is lost. The worker ends if no napkind can find it any longer and
    /// no front is attached, since it is then of no use.
    func lostDaemon() {
        files.areKept = false
        let fronts = sessions.values.reduce(0) { $0 + $1.host.fronts.count }
        if fronts == 0, access(place.socket, F_OK) != 0 { end() }
    }

    // MARK: - napkind

    /// The worker's app and process, and all sessions that it holds.
    var register: Register {
        // napkind would refuse a worker for a name that a damaged row has.
        let names = Set(sessions.keys).union(journal?.names.filter(Name.isValid) ?? [])
        var register = register(of: names.sorted())
        let renamed = sessions.values.map(\.host).filter { !$0.formerNames.isEmpty }
        register.renamed = renamed.map { Renaming(session: $0.name, epoch: $0.epoch) }
        register.fronts = report.number
        return register
    }

    private var schema: AppSchema {
        AppSchema(app: app.id, of: app.features, states: app.durableStates)
    }

    /// Says of each session with these names whether it is in memory, and whether it is stored.
    func register(of names: [String]) -> Register {
        let stored = names.filter { journal?.keeps($0) == true }
        var register = Register(
            app: app.id, pid: getpid(), socket: place.socket,
            sessions: names.filter { sessions[$0] != nil }, stored: stored.isEmpty ? nil : stored,
            napkin: NapkinVersion.text)
        if let journal, !journal.isEmpty { register.durability = journal.durability.rawValue }
        return register
    }

    /// Notes a front's ticket; returns false if there are too many.
    func admit(_ admit: Admit) -> Bool {
        guard tickets.add(admit, now: Loop.shared.now) else { return false }
        report.admitted()
        return true
    }

    /// The fronts that are attached or may still attach.
    private var frontCount: Int {
        tickets.forgetExpired(at: Loop.shared.now)
        let arriving = arrivals.values.count { $0.session != nil }
        return sessions.values.reduce(tickets.count + arriving) { $0 + $1.host.connectedFronts }
    }

    /// Returns whether there is a session with that name, even without a tree.
    func holds(_ session: String) -> Bool {
        sessions[session] != nil || journal?.holds(session) == true
    }

    /// Returns the encoded answer to a query that napkind passes on.
    func answer(_ query: Query) async throws(Refusal) -> LongAnswer {
        switch query {
        case .logLevel(_, let word):
            return LongAnswer(try Payload(answer: try LogLevel.change(to: word)))
        case .apps, .status, .more, .control:
            throw Refusal(.badRequest, "a worker does not answer this query")
        case .sessions:
            return listing()
        case .tree(_, let name):
            return trees(of: name)
        case .kill(let name, _):
            return LongAnswer(try Payload(answer: await kill(name)))
        case .schema:
            return LongAnswer(try Payload(answer: schema))
        case .detach(let name, let front):
            let count = sessions[name]?.host.detach(front) ?? 0
            await journal?.settle(unlessFull: true)
            return LongAnswer(try Payload(answer: count))
        case .rename(let name, let newName):
            return LongAnswer(try Payload(answer: try await rename(name, to: newName)))
        case .watch(_, let name, let digest, let interval, let inventory):
            return try await watch(name, digest, every: interval, withInventory: inventory == true)
        case .top(_, let name):
            return LongAnswer(try Payload(answer: await figures(of: name)))
        case .ledger(_, let name, let request):
            return try await ledger(name, request)
        case .trace(let name, let tracer, let feature, let values):
            let batch = try await host(name).trace(
                tracer, feature: feature, values: values == true)
            return LongAnswer(try Payload(answer: batch))
        }
    }

    /// Returns the host of the session with that name, or all hosts.
    func hosts(_ name: String?) -> [SessionHost] {
        guard let name else { return sessions.values.map(\.host) }
        return sessions[name].map { [$0.host] } ?? []
    }

    private func host(_ name: String) throws(Refusal) -> SessionHost {
        if let session = sessions[name] { return session.host }
        throw Refusal(
            .workerUnavailable,
            "session '\(name)' has no tree: attach to it, then try again")
    }

    /// Returns the trees of one session or of all, and what is left of ended sessions.
    private func trees(of name: String?) -> LongAnswer {
        let hosts = hosts(name) + ended(name)
        return LongAnswer(of: hosts) { [self] (host) throws(Refusal) in
            try Payload(answer: tree(of: host)).bytes
        }
    }

    /// Returns the ended sessions with that name, or all, of which something is left.
    func ended(_ name: String?) -> [SessionHost] {
        forgetEnded()
        return endedSessions.filter { name ?? $0.name == $0.name }
    }

    func tree(of host: SessionHost, withInventory: Bool = true) -> SessionTree {
        var tree = host.tree(withInventory: withInventory)
        tree.queues?.tickets = tickets.count
        tree.queues?.controlRequests = control.openRequests
        return tree
    }

    func forgetEnded() {
        endedSessions.removeAll { !$0.hasRemnants }
        endedSessions.removeFirst(max(0, endedSessions.count - Self.endedMax))
    }

    /// Returns the descriptions of all sessions.
    private func listing() -> LongAnswer {
        let memory = ProcessFigures(of: getpid())?.bytes
        let names = Set(sessions.keys).union(journal?.names ?? [])
        return LongAnswer(of: names.sorted()) { [self] (name) throws(Refusal) in
            try Payload(answer: describe(name, workerBytes: memory)).bytes
        }
    }

    private func describe(_ name: String, workerBytes: Int?) -> SessionInfo {
        guard let session = sessions[name] else {
            var info = SessionInfo(
                stored: name, app: app.id, pid: getpid(), workerBytes: workerBytes)
            info.durability = journal?.durability.rawValue
            (info.defect, info.isDamaged) = defects[name].map(\.told) ?? (nil, nil)
            return info
        }
        let host = session.host
        return SessionInfo(
            session: name, app: app.id, pid: getpid(),
            ageSeconds: Int((Loop.shared.now - session.startedAt) / 1000),
            nodes: host.nodeCount, fronts: host.fronts.map(\.info), away: host.away,
            workerBytes: workerBytes, durability: host.durability)
    }

    // MARK: - Fronts

    private func accepted(_ channel: Channel) {
        let link = ArrivingFront(worker: self, channel: channel)
        arrivals[ObjectIdentifier(link)] = link
    }

    func left(_ link: ArrivingFront) {
        arrivals[ObjectIdentifier(link)] = nil
        report.changed()
    }

    /// The connection of a peer that never attached has ended.
    func ended(_ link: ArrivingFront, _ end: LinkEnd) {
        left(link)
        watch.ended(link.peer, end, logger)
    }

    /// Returns the session that the ticket names; the ticket is then used up.
    func redeem(_ ticket: String) -> String? {
        tickets.redeem(ticket, now: Loop.shared.now)
    }

    /// A front with a good ticket, whose contract fits, joins.
    func join(_ arriving: ArrivingFront, _ attach: Attach, session name: String) async {
        let host: SessionHost
        do throws(Refusal) {
            host = try await session(current(name, for: attach))
        } catch {
            left(arriving)
            return arriving.link.refuse(error)
        }
        guard arriving.link.isOpen else { return }
        if isDraining {
            return arriving.link.refuse(Refusal(.shuttingDown, "\(app.id) is shutting down"))
        }
        // There are as many fronts as before: no report, which would count those of all sessions.
        arrivals[ObjectIdentifier(arriving)] = nil
        host.join(arriving.link, attach)
    }

    /// Returns the current name of the session that the front means: it may know the tree only
    /// under an earlier name.
    private func current(_ name: String, for attach: Attach) -> String {
        guard hasRenamed, let epoch = attach.previousEpoch, sessions[name]?.host.epoch != epoch
        else { return name }
        let renamed = sessions.first { _, session in
            session.host.epoch == epoch && session.host.formerNames.contains(name)
        }
        return renamed?.key ?? name
    }
}
