// Daemon: the supervisor process: its socket, its locks, its apps, its end.
//
// Ownership  owns its files, the connections of connected peers, and one supervisor per app.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// napkind itself. Runs no feature code and reads no feature's payload.
@MainActor
package final class Daemon {
    /// What errors and peers are told.
    nonisolated static let name = "napkind"
    static let server = "\(name) \(NapkinVersion.text)"

    /// How long workers may take to end in good order. Chosen.
    static let drainDeadline = Duration.seconds(5)
    /// How long a listing's piece may take. Chosen: a worker needs milliseconds for it, and a
    /// stopped worker is to be named soon.
    static let listingPatience = Duration.seconds(1)
    /// How long a worker may hold back an answer. Chosen: a second longer than it does.
    static let watchPatience = Duration.seconds(Limits.inspectionHoldSeconds + 1)
    /// How long the workers of an earlier napkind may take to register, all together. Chosen: ten
    /// of their attempts.
    static let registrationDeadline = WorkerPlace.retryInterval * 10
    /// The time between two checks of which workers have yet to register. Chosen.
    private static let registrationInterval = Duration.milliseconds(20)
    /// How long a session may take to end: its handlers and bound tasks have 7 s. Chosen.
    static let killPatience = Duration.seconds(20)

    let socket: SocketPath
    let options: HostOptions
    let state: StateDirectory
    let logger = Logger(label: Daemon.name)
    let files: ProcessFiles
    let ownsSocketFile: Bool
    private var watch = PeerWatch()
    var supervisors: [String: AppSupervisor] = [:]
    /// The workers of an earlier napkind that lived when this one began, by their apps.
    let survivors: [String: [Int]]
    /// The ids of the apps that are hosted in this process; then there are no others.
    let linked: [String]
    var sessions: SessionRegistry
    var catalog: AppCatalog
    /// What is wrong with manifests, and which.
    var broken: [AppInfo] = []
    let answers = LongAnswers(first: Daemon.firstCursor)
    private(set) var appWatch: AppDirectoryWatch?
    /// The words of `--set`, by the app that each names.
    let settings: [String: [String]]
    private(set) var connections: [ObjectIdentifier: PeerConnection] = [:]
    /// The number of unanswered requests of each process.
    private var requests: [Int32: Int] = [:]
    /// Ends when the workers of an earlier napkind have registered, or their time is up.
    private var registrations: Task<Void, Never>?
    private var ended: CheckedContinuation<Void, Never>?
    /// Whether apps' own sessions are started: not before the workers of an earlier napkind are
    /// known.
    var startsSessions = false
    /// Sessions whose worker was killed for them, and until when their fronts are told so.
    var endedByForce: [String: UInt64] = [:]
    /// The workers that are asked to end a session, by its name.
    var kills: [String: [WorkerID]] = [:]
    /// Whether this napkind ends for another one, to which its workers go over.
    var handsOver = false

    /// - Parameters:
    ///   - directories: those of manifests.
    ///   - apps: apps that are hosted in this process instead.
    package init(
        _ options: HostOptions, directories: [String], linked apps: [LinkedApp] = []
    ) throws(StartError) {
        self.options = options
        sessions = SessionRegistry(owners: try Self.owners(ofSessionsOf: apps))
        catalog = AppCatalog(directories)
        linked = apps.map(\.id)
        if let reserved = linked.first(where: AppManifest.reservedIDs.contains) {
            throw StartError(
                EX_SOFTWARE, "no app can have the id '\(reserved)', which napkind uses itself")
        }
        let installed = catalog.entries().map(\.name)
        settings = try Self.settings(options.settings, by: linked + installed)
        // Workers start in another directory.
        let state = try StateDirectory(
            options.stateDir.map { $0.hasPrefix("/") ? $0 : Self.current + $0 })
        try state.ensure()
        self.state = state
        socket = try Self.socketPath(options)
        guard let lock = try ProcessLock.acquire(state.daemonLock, saying: socket.text) else {
            throw StartError(
                EX_UNAVAILABLE,
                "another napkind uses the state directory \(state.path); end it, "
                    + "or choose another one with --state-dir")
        }
        survivors = state.livingWorkers()
        let (acceptor, ownsSocketFile) = try Self.acceptor(at: socket, options)
        self.ownsSocketFile = ownsSocketFile
        files = ProcessFiles(
            socket: socket, acceptor: acceptor, lock: lock, in: state, logger: logger)
        for app in apps { supervisors[app.id] = try supervisor(for: HostedApp(app)) }
    }

    /// Returns whose the sessions are that apps open at start, by their names.
    private static func owners(
        ofSessionsOf apps: [LinkedApp]
    ) throws(StartError) -> [String: String] {
        var owners: [String: String] = [:]
        for app in apps {
            for session in app.sessions {
                if let refusal = Open(app: app.id, session: session).refusal {
                    throw StartError(
                        EX_SOFTWARE,
                        "the app '\(app.id)' cannot open its sessions: \(refusal.message)")
                }
                if let other = owners.updateValue(app.id, forKey: session), other != app.id {
                    throw StartError(
                        EX_SOFTWARE,
                        "the apps '\(other)' and '\(app.id)' both open a session '\(session)' at "
                            + "start: give one of them another name")
                }
            }
        }
        return owners
    }

    private static func socketPath(_ options: HostOptions) throws(StartError) -> SocketPath {
        do throws(TransportError) {
            guard let chosen = options.socket else { return try SocketPath.napkinDefault() }
            // Workers and locks need a path with the same meaning in every directory.
            return try SocketPath(chosen.hasPrefix("/") ? chosen : Self.current + chosen)
        } catch {
            throw StartError(error)
        }
    }

    static var current: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path) + "/"
    }

    /// Returns the socket from systemd, or a new one in place of a dead daemon's.
    private static func acceptor(
        at path: SocketPath, _ options: HostOptions
    ) throws(StartError) -> (Acceptor, Bool) {
        do throws(TransportError) {
            let chosen = SocketDirectory(path: path.directory, policy: .chosen)
            try (options.socket == nil ? SocketDirectory.napkinDefault : chosen).ensure()
            if let descriptor = ActivatedSocket.descriptor {
                return (try Acceptor(adopting: descriptor), false)
            }
            if try path.probe() == .alive {
                throw StartError(
                    EX_UNAVAILABLE,
                    "another napkind listens on \(path); use it, end it, or choose another "
                        + "--socket"
                ).asTransport(path)
            }
            try path.removeIfStale()
            return (try Acceptor(bindingTo: path.text), true)
        } catch {
            throw StartError(error)
        }
    }

    // MARK: - Running

    /// Serves until a signal ends it, then drains. Returns the exit code.
    package func run() async -> Int32 {
        files.start { [weak self] channel in self?.accepted(channel) }
        watchApps()
        if expectsWorkers {
            registrations = Task.immediate {
                await awaitRegistrations()
                startWorkers()
            }
        }
        let watchers: [SignalWatcher]
        do throws(TransportError) {
            watchers = try DaemonSignals.onDraining { [weak self] in self?.end() }
        } catch {
            logger.error("no signal handler", metadata: ["error": "\(error)"])
            return EX_OSERR
        }
        logger.info("ready", metadata: ["socket": "\(socket)"])
        guard sayReady() else { return EX_IOERR }
        // Not earlier: the ready descriptor may be the standard output, which a worker inherits.
        if registrations == nil { startWorkers() }
        await withCheckedContinuation { ended = $0 }
        await handsOver ? handOver() : drain()
        for watcher in watchers { watcher.cancel() }
        return EX_OK
    }

    /// Finds the installed apps, now and when they change.
    private func watchApps() {
        guard linked.isEmpty else { return }
        appWatch = AppDirectoryWatch(catalog.directories) { [weak self] paths in
            self?.appsChanged(paths)
        }
        findApps()
    }

    private func sayReady() -> Bool {
        guard let descriptor = options.readyFd else { return true }
        let line = Array("ready \(socket)\n".utf8)
        let written = write(descriptor, line, line.count)
        close(descriptor)
        // Otherwise the first peer would get the number of the standard output.
        StandardDescriptors.open()
        if written != line.count {
            logger.error(
                "the ready descriptor cannot be written", metadata: ["fd": "\(descriptor)"])
        }
        return written == line.count
    }

    func end() {
        ended?.resume()
        ended = nil
    }

    private func drain() async {
        logger.info("draining")
        appWatch = nil
        files.close(removingSocket: ownsSocketFile)
        for connection in connections.values {
            connection.link.refuse(Refusal(.shuttingDown, "\(Daemon.name) is shutting down"))
        }
        let deadline = Self.drainDeadline
        await withTaskGroup { group in
            for supervisor in supervisors.values {
                group.addTask { await supervisor.drain(deadline: deadline) }
            }
        }
    }

    // MARK: - Peers

    private func accepted(_ channel: Channel) {
        let connection = PeerConnection(daemon: self, channel: channel)
        connections[ObjectIdentifier(connection)] = connection
    }

    func left(_ connection: PeerConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// The connection of a peer has ended.
    func ended(_ connection: PeerConnection, _ end: LinkEnd) {
        left(connection)
        watch.ended(connection.peer, end, logger)
    }

    /// A worker that outlived an earlier napkind has registered.
    func registered(_ link: Link, _ register: Register) {
        guard let app = supervisors[register.app] else {
            return link.refuse(
                Refusal(.unknownApp, "this napkind hosts no app \(register.app)"))
        }
        guard let worker = app.worker(of: register, in: state) else {
            return link.violate("a register frame with a socket that is not the app's")
        }
        if let objection = worker.objection(to: register) { return link.violate(objection) }
        app.told(register, by: worker.id.number)
        guard !register.continues else { return }
        worker.registered(link, register)
        app.endIfStopped()
        startSessions(of: app)
    }

    /// Waits until the workers of an earlier napkind that are still alive have registered, or their
    /// time is up: until then, their sessions are unknown.
    private func awaitRegistrations() async {
        var isOverdue = false
        let deadline = LoopTimer(deadline: Self.registrationDeadline) { isOverdue = true }
        repeat {
            await LoopTimer.wait(Self.registrationInterval)
        } while !isOverdue && expectsWorkers
        deadline.cancel()
        registrations = nil
        let silent = supervisors.filter(\.value.expectsWorker).keys.sorted()
        guard !silent.isEmpty else { return }
        for app in silent { supervisors[app]?.expectOtherRegistrations() }
        logger.warning(
            "workers of an earlier \(Daemon.name) run and have not registered",
            metadata: ["apps": "\(silent.joined(separator: " "))"])
    }

    /// Starts the workers of the apps that have sessions without a front.
    private func startWorkers() {
        startsSessions = true
        for app in order.compactMap({ supervisors[$0] }) {
            app.retireUnused()
            startSessions(of: app)
            Task.immediate { await app.readJournals() }
        }
    }

    /// The ids of the apps.
    var order: [String] { supervisors.keys.sorted() }

    private var expectsWorkers: Bool { supervisors.values.contains(where: \.expectsWorker) }

    func sessionsKnown() async {
        if let registrations { await registrations.value }
    }

    /// Counts a request of that process, unless it has too many already. Report `requestEnded`.
    func mayRequest(_ pid: Int32) -> Bool {
        guard requests[pid, default: 0] < Limits.requestsMax else { return false }
        requests[pid, default: 0] += 1
        return true
    }

    func requestEnded(_ pid: Int32) {
        guard let count = requests[pid] else { return }
        requests[pid] = count > 1 ? count - 1 : nil
    }

    var now: UInt64 { Loop.shared.now }

    // MARK: - Requests

    /// Finds a front's session; `pid` is the front's process.
    func open(_ open: Open, pid: Int32) async throws(Refusal) -> Redirect {
        if let refusal = open.refusal { throw refusal }
        findUnwatchedApps()
        _ = try supervisor(of: open.app)
        await sessionsKnown()
        let name = open.session ?? open.app
        if let refusal = endByForce(of: name, for: open) { throw refusal }
        while true {
            let app = try supervisor(of: open.app)
            if app.isStopped { throw app.stopped }
            try app.checkFronts()
            let candidates = await app.candidates(for: name, creates: open.creates)
            switch sessions.opened(open, at: now, among: candidates) {
            case .admit(let session):
                defer { sessions.openEnded(session, at: now) }
                let number = sessions.worker(of: session, at: now)?.number ?? 0
                if let end = app.end(of: number) {
                    // It has been chosen before it was found to be of no use.
                    await end.value
                    continue
                }
                defer { app.opened(number) }
                return try await app.worker(number).admit(session: session, for: open, pid: pid)
            case .refuseUnknown: throw unknown(name)
            case .refuseFull: throw app.refusal(of: name)
            case .refuseAnotherApp(let owner):
                throw Refusal(
                    .sessionOfAnotherApp,
                    "session '\(name)' belongs to \(owner); choose another name with --session")
            }
        }
    }

    func supervisor(of app: String) throws(Refusal) -> AppSupervisor {
        if let supervisor = supervisors[app] { return supervisor }
        if let error = broken.first(where: { $0.app == app })?.error {
            throw Refusal(.unknownApp, "the app '\(app)' has a manifest that is refused: \(error)")
        }
        let none = "none: `napkin-client new app Counter` makes one, which `make install` installs"
        let known = order.isEmpty ? none : order.joined(separator: ", ")
        if let owner = sessions.app(of: app, at: now) {
            let way = "`napkin-client attach \(owner) --session \(app)`"
            throw Refusal(.unknownApp, "'\(app)' is a session of \(owner): \(way)")
        }
        throw Refusal(
            .unknownApp,
            "this napkind hosts no app '\(app)'\(Suggestion.hint(for: app, among: order)); "
                + "it hosts \(known)")
    }

    func unknown(_ session: String) -> Refusal {
        let hint = Suggestion.hint(for: session, among: sessions.names.filter(sessions.exists))
        return Refusal(
            .unknownSession,
            "there is no session '\(session)'\(hint); `napkin-client ls` lists them"
        )
    }
}

extension StartError {
    fileprivate func asTransport(_ path: SocketPath) -> TransportError {
        TransportError(
            code: "EADDRINUSE", operation: "listen", subject: path.text, message: message)
    }
}
