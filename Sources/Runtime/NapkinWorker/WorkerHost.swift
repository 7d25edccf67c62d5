// WorkerHost: the process of one app, with its sessions, its fronts and its link to napkind.
//
// Ownership  owns its files, the control link, the sessions, and the fronts that are arriving.
// Invariant  holds its lock for its whole life: no second process can be this worker of the app.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Hosts the sessions of one app.
@MainActor
final class WorkerHost {
    /// The time that handlers have to finish when the worker drains. Chosen: napkind gives all of
    /// the drain 5 s.
    static let handlerDeadline = Duration.seconds(2)
    /// The number of ended sessions that are kept for the inventory, the newest ones. Chosen: a
    /// session that leaks leaks each time.
    static let endedMax = 16

    let app: any App.Type
    let options: WorkerOptions
    private let files: ProcessFiles
    private var watch = PeerWatch()
    let logger: Logger
    /// The connection to napkind; `nil` in a process without it.
    private(set) var control: ControlLink?
    /// Called with the names of changed sessions; with none if only the number of fronts has
    /// changed.
    var onChange: ([String]) -> Void = { _ in }
    private var filesPace = ReportPace.ofLimit
    var sessions: [String: Session] = [:]
    let ids: SessionIDs
    /// The journal of durable sessions; `nil` if there are none.
    let journal: Journal?
    let journalPath: String
    /// The reasons why stored sessions could not be restored, by name.
    var defects: [String: RestoreFailure] = [:]
    /// The running rewinds, by session name; no front joins a session before its rewind ends.
    var rewinds: [String: Task<LedgerRewind, any Error>] = [:]
    /// Ended sessions that may not have been released completely.
    var endedSessions: [SessionHost] = []
    var arrivals: [ObjectIdentifier: ArrivingFront] = [:]
    /// Whether any session was renamed in this process.
    var hasRenamed = false
    var tickets = TicketBook()
    /// Answers tools' queries.
    private(set) lazy var queries = WorkerQueries(of: self)
    /// The contracts that fronts' contracts are compared with.
    private(set) lazy var contracts = ContractCheck(app: app.id, features: app.features)
    /// Removes idle durable sessions from memory.
    private(set) lazy var passivation = Passivation(of: self, after: app.passivatesAfter)
    let returns = ReturnOrder(expecting: FlightRecorder.formerFronts)
    private var ended: CheckedContinuation<Void, Never>?
    private var hasEnded = false
    private(set) var isDraining = false

    /// The sessions that run even without a front.
    let opening: [String]
    /// The directory of the app's files.
    let dataDirectory: String
    let cacheDirectory: String
    /// The directory of the sessions' held programs.
    let programsDirectory: String
    /// The receipts of the workers' deaths.
    let crashFiles: CrashFiles
    let configuration: Configuration
    /// The events per second that may run for each front; `nil` for no limit.
    let eventRate: EventRate?
    /// Reports the number of fronts to napkind.
    private(set) lazy var report = FrontReport(of: self)

    struct Session {
        var host: SessionHost
        /// The id that the app sees, which a rename does not change; `nil` until it is known.
        var id: String?
        var startedAt: UInt64
        /// Present until the tree has been launched.
        var launch: SessionLaunch?
    }

    /// - Parameter descriptors: the listening socket and the connection to napkind; without them,
    ///   the worker creates its socket.
    init(
        app: any App.Type, options: WorkerOptions, settings: [String], opening: [String]? = nil,
        eventsMax: Int? = nil, descriptors: (listening: Int32, control: Int32)? = nil
    ) throws(StartError) {
        eventRate = eventsMax.map { EventRate(most: $0) }
        self.app = app
        self.options = options
        configuration = try AppConfiguration.read(for: app, settings)
        var logger = Logger(label: "worker.\(app.id)")
        logger[metadataKey: "worker.pid"] = "\(getpid())"
        self.logger = logger
        let state = try StateDirectory(options.stateDirectory)
        try state.ensure()
        dataDirectory = try state.directory(
            "data", of: app.id, logger, preferring: SocketDirectory.data)
        cacheDirectory = try state.directory(
            "cache", of: app.id, logger, preferring: SocketDirectory.cache)
        programsDirectory = state.programs(of: app.id)
        crashFiles = state.crashFiles(of: app.id)
        let id = WorkerID(app: app.id, number: options.number)
        let lockPath = state.workerLock(id)
        self.opening = opening ?? app.sessions.map(\.name)
        ids = try SessionIDs(of: app.id, in: state, hasPeers: opening != nil)
        guard let lock = try ProcessLock.acquiredAtStart(lockPath) else {
            throw StartError(EX_TEMPFAIL, "another worker of \(app.id) holds \(lockPath)")
        }
        journalPath = state.journal(of: id)
        journal = try Journal.opened(
            at: journalPath, of: id, in: state.journalDirectory, app, options,
            isInProcess: descriptors == nil, logger)
        journal?.hold(FlightRecorder.suspectSessions)
        defects = (journal?.damaged ?? [:]).mapValues { RestoreFailure(reason: $0, isDamage: true) }
        ids.retake(journal?.sessions.ids ?? [])
        do throws(TransportError) {
            files = ProcessFiles(
                socket: try SocketPath(options.socket),
                acceptor: try Self.acceptor(at: options.socket, descriptors?.listening),
                lock: lock, in: state, logger: logger)
            if let descriptors {
                let control = ControlLink(
                    worker: self, channel: try Channel.adopt(descriptor: descriptors.control),
                    daemonSocket: options.daemonSocket)
                onChange = { [weak control] in control?.announce($0) }
                self.control = control
            }
        } catch {
            throw StartError(error)
        }
        journal?.onStored = { [weak self] name in self?.onChange([name]) }
        journal?.onShortage = { [weak self] in self?.roomChanged($0) }
    }

    /// Returns the socket that napkind has passed on, or a new one.
    private static func acceptor(
        at path: String, _ descriptor: Int32?
    ) throws(TransportError) -> Acceptor {
        if let descriptor { return try Acceptor(adopting: descriptor) }
        try SocketPath(path).removeIfStale()
        return try Acceptor(bindingTo: path)
    }

    // MARK: - Running

    /// Serves until napkind or a signal ends it. Returns the exit code.
    func run() async -> Int32 {
        start()
        let watchers = DaemonSignals.onDraining(logger) { [weak self] in self?.end() }
        guard let watchers else { return EX_OSERR }
        if !hasEnded { await withCheckedContinuation { ended = $0 } }
        await drain()
        for watcher in watchers { watcher.cancel() }
        return EX_OK
    }

    /// Opens the app's own sessions, and accepts fronts.
    func start() {
        // Open sessions before registering and before a front comes, which waits for their trees.
        for name in opening where sessions[name] == nil { open(name) }
        wakeSessionsWhenDue()
        files.start { [weak self] channel in self?.accepted(channel) }
    }

    /// Asks the worker to end in good order.
    func end() {
        hasEnded = true
        ended?.resume()
        ended = nil
    }

    /// Ends all sessions in good order.
    func drain() async {
        isDraining = true
        journal?.scheduler.stop()
        files.close(removingSocket: control == nil)
        await finishHandlers()
        let refusal = Refusal(.shuttingDown, "\(app.id) is shutting down")
        for link in arrivals.values { link.link.refuse(refusal) }
        // Changes from here on are not recorded: sessions later resume from this point.
        for session in sessions.values { session.host.dismissFronts(refusal) }
        await journal?.waitUntilDurable(unlessFull: true)
        for session in sessions.values { await session.host.end(refusal) }
        await passivation.end()
        // Let the fronts' last frames leave before the process ends.
        await Loop.shared.flushed()
        control?.close()
        // Sessions may have been ended meanwhile.
        await journal?.waitUntilDurable()
        await journal?.shrink()
        journal?.leaveNames(at: journalPath, in: options.ledger)
    }

    /// Waits until no event handler runs, or for `handlerDeadline`.
    private func finishHandlers() async {
        let deadline = Loop.shared.now + UInt64(Self.handlerDeadline.components.seconds * 1000)
        while sessions.values.contains(where: { $0.host.runningHandlers > 0 }),
            Loop.shared.now < deadline
        {
            // This task is never cancelled, because nobody holds it.
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Restores the socket when napkind is connected, because its fronts must find it.
    func foundDaemon() {
        files.areKept = true
        files.restore()
    }

    /// Handles the loss of the connection to napkind. The worker ends if no napkind can find it any
    /// more and no front is attached, because it is then useless.
    func lostDaemon() {
        files.areKept = false
        let fronts = sessions.values.reduce(0) { $0 + $1.host.fronts.count }
        if fronts == 0, access(options.socket, F_OK) != 0 { end() }
    }

    // MARK: - napkind

    /// The worker's app and process, and all sessions that it holds.
    var register: Register {
        // A damaged row may contain a name for which napkind would refuse the worker.
        let names = Set(sessions.keys).union(journal?.sessions.names.filter(Name.isValid) ?? [])
        var register = register(of: names.sorted())
        let renamed = sessions.values.map(\.host).filter { !$0.formerNames.isEmpty }
        register.renamed = renamed.map { Renaming(session: $0.name, epoch: $0.epoch) }
        register.fronts = report.number
        return register
    }

    /// Returns for each of these names whether its session is in memory, and whether it is stored.
    func register(of names: [String]) -> Register {
        let stored = names.filter { journal?.sessions.keeps($0) == true }
        var register = Register(
            app: app.id, pid: getpid(), socket: options.socket,
            sessions: names.filter { sessions[$0] != nil }, stored: stored.isEmpty ? nil : stored,
            napkin: NapkinVersion.text)
        if let journal, !journal.sessions.isEmpty {
            register.durability = journal.durability.rawValue
        }
        return register
    }

    /// Stores a front's ticket. Throws if there are too many, or if the front could not connect.
    func admit(_ admit: Admit) throws(Refusal) {
        if let refusal = refusalForFiles() { throw refusal }
        guard tickets.add(admit, now: Loop.shared.now) else {
            throw Refusal(
                .overloaded,
                "\(Limits.ticketsPerProcessMax) tickets of this process, or "
                    + "\(Limits.ticketsMax) of all, have not been used; try again in "
                    + "\(Limits.ticketSeconds) s")
        }
        report.admitted()
    }

    /// Returns the refusal of new fronts while this process has no descriptors left.
    private func refusalForFiles() -> Refusal? {
        guard let most = DescriptorLimit.reached else { return nil }
        let refusal = Refusal(
            .overloaded,
            "the worker of \(app.id) (pid \(getpid())) has \(most) files open, which is its "
                + "limit: 'files' in 'limits' of its manifest, or that of the machine; try again "
                + "when it has closed some")
        if filesPace.report(at: Loop.shared.now) != nil {
            Logger(label: "worker.\(app.id)")
                .warning("limit reached", metadata: ["reason": "\(refusal.message)"])
        }
        return refusal
    }

    /// The number of fronts that are attached or may still attach.
    var frontCount: Int {
        tickets.forgetExpired(at: Loop.shared.now)
        let arriving = arrivals.values.count { $0.session != nil }
        return sessions.values.reduce(tickets.count + arriving) { $0 + $1.host.connectedFronts }
    }

    /// Returns whether there is a session with that name, even without a tree.
    func holds(_ session: String) -> Bool {
        sessions[session] != nil || journal?.sessions.holds(session) == true
    }

    func forgetEnded() {
        endedSessions.removeAll { !$0.hasRemnants }
        endedSessions.removeFirst(max(0, endedSessions.count - Self.endedMax))
    }

    // MARK: - Fronts

    private func accepted(_ channel: Channel) {
        let link = ArrivingFront(worker: self, channel: channel)
        arrivals[ObjectIdentifier(link)] = link
    }

    func remove(_ link: ArrivingFront) {
        arrivals[ObjectIdentifier(link)] = nil
        report.changed()
    }

    /// Handles the end of a connection whose peer never attached.
    func ended(_ link: ArrivingFront, _ end: ConnectionEnd) {
        remove(link)
        watch.ended(link.peer, end, logger)
    }

    /// Returns the session named by the ticket, which is thereby used up.
    func redeem(_ ticket: String) -> String? {
        tickets.redeem(ticket, now: Loop.shared.now)
    }

    /// Attaches a front whose ticket is valid and whose contract fits.
    func join(_ arriving: ArrivingFront, _ attach: Attach, session name: String) async {
        let host: SessionHost
        do throws(Refusal) {
            host = try await session(current(name, for: attach))
        } catch {
            remove(arriving)
            return arriving.link.refuse(error)
        }
        if let front = attach.previousFront, FlightRecorder.isSuspect(front, in: host.name) {
            await returns.turnOfSuspect(of: front)
            // The session may have been ended, or rolled back, meanwhile.
            guard sessions[host.name]?.host === host else {
                remove(arriving)
                return arriving.link.refuse(
                    Refusal(.sessionEnded, "session '\(name)' has ended, or is started again"))
            }
        }
        guard arriving.link.isOpen else { return }
        if isDraining {
            return arriving.link.refuse(Refusal(.shuttingDown, "\(app.id) is shutting down"))
        }
        // The number of fronts is unchanged: skip the report, which would count all sessions.
        arrivals[ObjectIdentifier(arriving)] = nil
        host.join(arriving.link, attach)
        returns.attached()
    }

    /// Returns the current name of the session that the front means: it may know the tree only by
    /// an earlier name.
    private func current(_ name: String, for attach: Attach) -> String {
        guard hasRenamed, let epoch = attach.previousEpoch, sessions[name]?.host.epoch != epoch
        else { return name }
        let renamed = sessions.first { _, session in
            session.host.epoch == epoch && session.host.formerNames.contains(name)
        }
        return renamed?.key ?? name
    }
}
