// Daemon: the supervisor process: its socket, its locks, its apps, its end.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owns its files, the doors of connected peers, and one supervisor per app.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// napkind itself. Runs no feature code and reads no feature's payload.
@MainActor
final class Daemon {
    /// How long workers may take to end in good order. Chosen.
    static let drainDeadline = Duration.seconds(5)
    /// How long a listing waits for each worker. Chosen: the others' sessions are wanted, too.
    static let listingPatience = Duration.seconds(5)
    /// How long a session may take to end: its handlers and bound tasks have 7 s. Chosen.
    static let killPatience = Duration.seconds(20)

    let socket: SocketPath
    private let command: NapkindCommand
    private let state: StateDirectory
    private let logger = Logger(label: DaemonName.current)
    private let files: ProcessFiles
    private let ownsSocketFile: Bool
    private var watch = PeerWatch()
    private var supervisors: [String: WorkerSupervisor] = [:]
    private let order: [String]
    private var sessions = SessionRegistry()
    private var doors: [ObjectIdentifier: Door] = [:]
    private var ended: CheckedContinuation<Void, Never>?

    /// - Parameter name: what the default socket and the default state directory are called by.
    init(
        _ command: NapkindCommand, _ apps: [any App.Type], name: String
    ) throws(StartError) {
        self.command = command
        let state = try StateDirectory(command.stateDir, of: name)
        try state.ensure()
        self.state = state
        socket = try Self.socketPath(command, name)
        guard let lock = try ProcessLock.acquire(state.daemonLock) else {
            throw StartError(
                EX_UNAVAILABLE,
                "another napkind uses the state directory \(state.path); end it, "
                    + "or choose another one with --state-dir")
        }
        let (acceptor, ownsSocketFile) = try Self.acceptor(at: socket)
        self.ownsSocketFile = ownsSocketFile
        files = ProcessFiles(
            socket: socket, acceptor: acceptor, lock: lock, in: state, logger: logger)
        order = apps.map { $0.id }
        for app in apps {
            supervisors[app.id] = WorkerSupervisor(
                app: app, launcher: try launcher(for: app.id),
                lockPath: state.workerLock(app.id))
        }
    }

    private func launcher(for app: String) throws(StartError) -> WorkerLauncher {
        let path: SocketPath
        do throws(TransportError) {
            path = try SocketPath("\(socket.directory)/\(app).sock")
        } catch {
            throw StartError(error)
        }
        return WorkerLauncher(
            place: WorkerPlace(
                socket: path.text, daemonSocket: socket.text, stateDirectory: state.path),
            logLevel: command.logLevel, isInProcess: command.inProcess)
    }

    private static func socketPath(
        _ command: NapkindCommand, _ name: String
    ) throws(StartError) -> SocketPath {
        do throws(TransportError) {
            guard let chosen = command.socket else {
                try SocketDirectory.napkinDefault.ensure()
                try SocketDirectory.napkinDefault(for: name).ensure()
                return try SocketPath.napkinDefault(for: name)
            }
            // Workers and locks need a path that means the same in every directory.
            let path = try SocketPath(chosen.hasPrefix("/") ? chosen : Self.current + chosen)
            try SocketDirectory(path: path.directory, policy: .chosen).ensure()
            return path
        } catch {
            throw StartError(error)
        }
    }

    private static var current: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path) + "/"
    }

    /// The socket from systemd, or one of our own in place of a dead daemon's.
    private static func acceptor(at path: SocketPath) throws(StartError) -> (Acceptor, Bool) {
        do throws(TransportError) {
            if let descriptor = ActivatedSocket.descriptor {
                return (try Acceptor(adopting: descriptor), false)
            }
            if try path.probe() == .alive {
                throw StartError(
                    EX_UNAVAILABLE,
                    "another napkind listens at \(path); use it, end it, or choose another "
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
    func run() async -> Int32 {
        files.start { [weak self] channel in self?.accepted(channel) }
        let watchers: [SignalWatcher]
        do throws(TransportError) {
            watchers = try DaemonSignals.onDraining { [weak self] in self?.end() }
        } catch {
            logger.error("no signal handler", metadata: ["error": "\(error)"])
            return EX_OSERR
        }
        logger.info("ready", metadata: ["socket": "\(socket)"])
        guard sayReady() else { return EX_IOERR }
        await withCheckedContinuation { ended = $0 }
        await drain()
        for watcher in watchers { watcher.cancel() }
        return EX_OK
    }

    private func sayReady() -> Bool {
        guard let descriptor = command.readyFd else { return true }
        let line = Array("ready \(socket)\n".utf8)
        let written = write(descriptor, line, line.count)
        close(descriptor)
        // Else the first peer would get the number of the standard output.
        StandardDescriptors.open()
        if written != line.count {
            logger.error(
                "the ready descriptor cannot be written", metadata: ["fd": "\(descriptor)"])
        }
        return written == line.count
    }

    private func end() {
        ended?.resume()
        ended = nil
    }

    private func drain() async {
        logger.info("draining")
        files.close(removingSocket: ownsSocketFile)
        for door in doors.values {
            door.link.refuse(Refusal(.shuttingDown, "\(DaemonName.current) is shutting down"))
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
        let door = Door(daemon: self, channel: channel)
        doors[ObjectIdentifier(door)] = door
    }

    func left(_ door: Door) {
        doors[ObjectIdentifier(door)] = nil
    }

    /// The connection of a peer has ended.
    func ended(_ door: Door, _ end: LinkEnd) {
        left(door)
        watch.ended(door.peer, end, logger)
    }

    /// A worker that outlived an earlier napkind.
    func registered(_ link: Link, _ register: Register) {
        guard let supervisor = supervisors[register.app] else {
            return link.refuse(
                Refusal(.unknownApp, "this napkind hosts no app \(register.app)"))
        }
        if let objection = supervisor.objection(to: register) { return link.violate(objection) }
        sessions.registered(register)
        supervisor.registered(link, register)
    }

    /// Waits for the workers of an earlier napkind, which know their sessions and we do not yet.
    private func sessionsKnown() async {
        for app in order { await supervisors[app]?.heirArrived() }
    }

    // MARK: - Requests

    func open(_ open: Open) async throws(Refusal) -> Redirect {
        if let refusal = open.refusal { throw refusal }
        let supervisor = try supervisor(of: open.app)
        await sessionsKnown()
        let name = open.session ?? open.app
        switch sessions.opened(open) {
        case .admit(let session): return try await supervisor.admit(session: session)
        case .refuseUnknown: throw unknown(name)
        case .refuseAnotherApp(let owner):
            throw Refusal(
                .sessionOfAnotherApp,
                "session '\(name)' belongs to \(owner); choose another name with --session")
        }
    }

    private func supervisor(of app: String) throws(Refusal) -> WorkerSupervisor {
        if let supervisor = supervisors[app] { return supervisor }
        let known = order.isEmpty ? "it hosts none" : "it hosts " + order.joined(separator: ", ")
        throw Refusal(
            .unknownApp,
            "this napkind hosts no app '\(app)'\(Suggestion.hint(for: app, among: order)); \(known)"
        )
    }

    private func unknown(_ session: String) -> Refusal {
        Refusal(
            .unknownSession,
            "there is no session '\(session)'"
                + Suggestion.hint(for: session, among: sessions.names)
                + "; `napkin-client ls` lists those that there are")
    }

    /// The encoded answer to a tool's question.
    func answer(_ query: Query) async throws(Refusal) -> [UInt8] {
        if let refusal = query.refusal { throw refusal }
        await sessionsKnown()
        switch query {
        case .apps:
            return try encoded(await appInfos())
        case .sessions:
            return try encoded(await sessionInfos())
        case .tree(let session?):
            guard let answer = try await owner(of: session).query(query) else {
                throw unknown(session)
            }
            return answer
        case .tree(nil):
            return try encoded(await gathered(query, [SessionTree].self).flatMap(\.answer))
        case .kill(let session):
            let supervisor = try owner(of: session)
            _ = sessions.killed(session)
            let answer = try await supervisor.query(query, within: Self.killPatience)
            return try orElse(answer, false)
        case .detach(let session, _):
            let supervisor = try owner(of: session)
            let answer = try await supervisor.query(query, since: .namesSessions)
            return try orElse(answer, 0)
        case .rename(let session, let name):
            return try await rename(session, to: name, query)
        case .schema(let app):
            return try await supervisor(of: app).schema()
        case .watch(let app, let session, _, _, _):
            let answer = try await inspected(app, session).query(query, since: .inspects)
            return try orElse(answer, TreeLook(digest: 0, trees: []))
        case .top(let app, let session):
            let answer = try await inspected(app, session).query(query, since: .inspects)
            return try orElse(answer, Figures(nanoseconds: 0, crossings: [], omitted: 0))
        case .trace(let session, _, _, _):
            let answer = try await owner(of: session).query(query, since: .inspects)
            if let answer { return answer }
            throw Refusal(
                .workerUnavailable,
                "the worker of session '\(session)' does not run: attach to it, then try again")
        }
    }

    private func owner(of session: String) throws(Refusal) -> WorkerSupervisor {
        guard let app = sessions.app(of: session), let supervisor = supervisors[app] else {
            throw unknown(session)
        }
        return supervisor
    }

    /// Whose worker is asked about what passes in it.
    private func inspected(
        _ app: String?, _ session: String?
    ) throws(Refusal) -> WorkerSupervisor {
        if let session { return try owner(of: session) }
        if let app { return try supervisor(of: app) }
        throw Refusal(.badRequest, "the query names neither an app nor a session")
    }

    private func rename(
        _ session: String, to name: String, _ query: Query
    ) async throws(Refusal) -> [UInt8] {
        let supervisor = try owner(of: session)
        switch sessions.renameRequested(session, to: name) {
        case .tell: break
        case .refuseUnknown: throw unknown(session)
        case .refuseTaken(let owner):
            throw Refusal(
                .badRequest,
                "there is a session '\(name)' already, of \(owner): choose another name, or end "
                    + "that one with `napkin-client kill \(name)`")
        }
        do throws(Refusal) {
            guard let answer = try await supervisor.query(query, since: .namesSessions),
                let renaming = answer.withUnsafeBytes({ $0.decoded(Renaming.self) })
            else {
                throw Refusal(
                    .workerUnavailable,
                    "the worker of session '\(session)' does not run: attach to it, then try again")
            }
            sessions.renameAnswered(renaming)
            return answer
        } catch {
            sessions.renameFailed(session, to: name)
            throw error
        }
    }

    private func appInfos() async -> [AppInfo] {
        let answers = await gathered(.sessions, [SessionInfo].self)
        return order.compactMap { supervisors[$0] }.map { supervisor in
            let id = supervisor.app.id
            // Of a worker that says nothing it is known what it had.
            let known = supervisor.isRegistered ? sessions.names(of: id).count : 0
            return AppInfo(
                app: id, state: supervisor.state, pid: supervisor.pid,
                sessions: answers.first { $0.app == id }?.answer.count ?? known,
                crashes: supervisor.crashes)
        }
    }

    private func sessionInfos() async -> [SessionInfo] {
        await gathered(.sessions, [SessionInfo].self).flatMap(\.answer)
            .sorted { $0.session < $1.session }
    }

    /// The answers of all running workers, asked at the same time; one that dies meanwhile, or says
    /// nothing, has none.
    private func gathered<T: Decodable & Sendable>(
        _ query: Query, _ type: T.Type
    ) async -> [(app: String, answer: T)] {
        let asked = order.compactMap { supervisors[$0] }.map { supervisor in
            Task.immediate { await self.answer(of: supervisor, to: query, type) }
        }
        var answers: [(app: String, answer: T)] = []
        for (app, task) in zip(order, asked) {
            if let answer = await task.value { answers.append((app, answer)) }
        }
        return answers
    }

    private func answer<T: Decodable & Sendable>(
        of supervisor: WorkerSupervisor, to query: Query, _ type: T.Type
    ) async -> T? {
        do throws(Refusal) {
            let bytes = try await supervisor.query(query, within: Self.listingPatience)
            return bytes?.withUnsafeBytes { $0.decoded(type) }
        } catch {
            logger.warning(
                "no answer", metadata: ["app.id": "\(supervisor.app.id)", "error": "\(error)"])
            return nil
        }
    }

    /// The worker's answer; where none runs, what is true then.
    private func orElse(
        _ answer: [UInt8]?, _ value: some Encodable
    ) throws(Refusal) -> [UInt8] {
        if let answer { return answer }
        return try encoded(value)
    }

    private func encoded(_ value: some Encodable) throws(Refusal) -> [UInt8] {
        do {
            return try Payload { (writer) throws(CBORError) in try writer.write(value) }.bytes
        } catch {
            throw Refusal(.overloaded, "the answer cannot be sent: \(error.detail)")
        }
    }
}

extension StartError {
    fileprivate func asTransport(_ path: SocketPath) -> TransportError {
        TransportError(
            code: "EADDRINUSE", operation: "listen", subject: path.text, message: message)
    }
}
