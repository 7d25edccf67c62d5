// WorkerSupervisor: keeps one app's worker running, and lets fronts in to it.
//
// Layer      daemon: performs what RestartPolicy decides.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the daemon; owns the worker's process, its link and its listening socket.
// Invariant  at most one worker of the app lives: the worker's lock says so, not our memory.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Supervises one app.
@MainActor
final class WorkerSupervisor {
    /// How long a front waits for a worker to start and register. Chosen.
    static let admissionDeadline = Duration.seconds(10)

    let app: any App.Type
    private(set) var state = AppInfo.State.idle
    private(set) var crashes = 0

    private let launcher: WorkerLauncher
    private let lockPath: String
    private let logger: Logger
    private var process: ChildProcess?
    private var pendingLink: Link?
    private var worker: WorkerLink?
    private var listening: Int32 = -1
    private var policy = RestartPolicy()
    private var timer: LoopTimer?
    private var isDraining = false
    private var lastDeath = ""
    private var waiters: [UInt64: CheckedContinuation<WorkerLink?, Never>] = [:]
    private var nextWaiter: UInt64 = 0
    private var drained: CheckedContinuation<Void, Never>?

    init(app: any App.Type, launcher: WorkerLauncher, lockPath: String) {
        self.app = app
        self.launcher = launcher
        self.lockPath = lockPath
        var logger = Logger(label: "napkind")
        logger[metadataKey: "app.id"] = "\(app.id)"
        self.logger = logger
    }

    var pid: Int32? { worker?.register.pid ?? process?.pid }
    var isRegistered: Bool { worker != nil }

    // MARK: - For fronts and tools

    /// Lets one front in: the worker knows the ticket when this returns.
    func admit(session: String) async throws(Refusal) -> Redirect {
        let ticket = Ticket.make()
        // A worker that dies in between is started again; the front need not know.
        for attempt in 1...RestartPolicy.restartsMax {
            let worker = try await registeredWorker()
            do throws(Refusal) {
                _ = try await worker.ask(.admit, Admit(ticket: ticket, session: session))
                return Redirect(
                    socket: worker.register.socket, ticket: ticket, app: app.id, session: session)
            } catch {
                if attempt == RestartPolicy.restartsMax { throw error }
            }
        }
        throw unavailable
    }

    /// Asks the running worker; `nil` when none runs.
    func query(_ query: Query) async throws(Refusal) -> [UInt8]? {
        guard let worker else { return nil }
        return try await worker.ask(.query, query)
    }

    /// The encoded schema of the app, from its worker, which is started if need be: one that has
    /// outlived an earlier napkind knows best what it speaks.
    func schema() async throws(Refusal) -> [UInt8] {
        let worker = try await registeredWorker()
        guard let version = worker.link.version, version >= .comparesContracts else {
            throw Refusal(
                .workerUnavailable,
                "the running worker of \(app.id) is older than this napkind and cannot describe "
                    + "its contract: end it (pid \(worker.register.pid)), then try again")
        }
        return try await worker.ask(.query, Query.schema(app: app.id))
    }

    private var unavailable: Refusal {
        let cause = lastDeath.isEmpty ? "it does not start" : lastDeath
        return Refusal(
            .workerUnavailable,
            "the worker of \(app.id) is not available: \(cause). See napkind's log, then try again")
    }

    private func registeredWorker() async throws(Refusal) -> WorkerLink {
        if let worker, worker.link.isOpen { return worker }
        guard !isDraining else { throw Refusal(.shuttingDown, "napkind is shutting down") }
        if state == .degraded {
            guard policy.mayTryAgain(at: Self.now) else { throw unavailable }
            policy = RestartPolicy()
            state = .idle
        }
        if state == .idle { start() }
        nextWaiter += 1
        let id = nextWaiter
        let deadline = LoopTimer(after: Self.admissionDeadline) { [weak self] in
            self?.waiters.removeValue(forKey: id)?.resume(returning: nil)
        }
        defer { deadline.cancel() }
        let found = await withCheckedContinuation { waiters[id] = $0 }
        guard let found else { throw unavailable }
        return found
    }

    private func wake(_ worker: WorkerLink?) {
        let waiters = self.waiters
        self.waiters = [:]
        for waiter in waiters.values { waiter.resume(returning: worker) }
    }

    // MARK: - Starting

    private func start() {
        state = .starting
        guard !ProcessLock.isHeld(lockPath) else { return waitForRegistration() }
        do throws(StartError) {
            if listening < 0 { listening = try listen() }
            let (channel, process) = try launcher.start(app, listening: listening) {
                [weak self] status in self?.workerExited(status)
            }
            self.process = process
            pendingLink = Link(
                channel: channel,
                role: .acceptor(server: "napkind \(NapkinVersion.text)", pid: getpid()),
                delegate: self)
            logger.info("worker started", metadata: ["worker.pid": "\(process?.pid ?? getpid())"])
        } catch {
            lastDeath = error.message
            logger.error("worker not started", metadata: ["error": "\(error.message)"])
            died()
        }
    }

    /// A worker of an earlier napkind lives: it will register by itself.
    private func waitForRegistration() {
        timer = LoopTimer(after: .milliseconds(100)) { [weak self] in
            guard let self, self.state == .starting, self.worker == nil else { return }
            self.start()
        }
    }

    private func listen() throws(StartError) -> Int32 {
        do throws(TransportError) {
            let path = try SocketPath(launcher.place.socket)
            try path.removeIfStale()
            return try Acceptor.listeningDescriptor(at: path.text)
        } catch {
            throw StartError(error)
        }
    }

    /// The worker said who it is, on a connection that we made or that it made itself.
    func registered(_ link: Link, _ register: Register) {
        worker?.link.close()
        let worker = WorkerLink(link: link, register: register)
        link.delegate = self
        self.worker = worker
        pendingLink = nil
        timer?.cancel()
        state = .running
        logger.info("worker registered", metadata: ["worker.pid": "\(register.pid)"])
        wake(worker)
    }

    // MARK: - Dying

    private func workerExited(_ status: ChildProcess.ExitStatus) {
        process = nil
        switch status {
        case .exited(0) where isDraining: break
        case .exited(let code): lastDeath = "it exited with code \(code)"
        case .signalled(let signal): lastDeath = "it was ended by signal \(signal)"
        }
        died()
    }

    private func died() {
        // Taken out first: closing a link reports its end, which is not a second death.
        let (dead, pending) = (worker, pendingLink)
        worker = nil
        pendingLink = nil
        dead?.ended()
        dead?.link.close()
        pending?.close()
        guard !isDraining else {
            state = .idle
            drained?.resume()
            drained = nil
            return
        }
        crashes += 1
        logger.warning("worker died", metadata: ["cause": "\(lastDeath)"])
        switch policy.workerDied(at: Self.now, jitter: Double.random(in: 0..<1)) {
        case .restart(let delay):
            state = .restarting
            timer = LoopTimer(after: delay) { [weak self] in self?.start() }
        case .degrade:
            state = .degraded
            logger.error("app degraded: its worker died too often")
            wake(nil)
        }
    }

    // MARK: - Draining

    /// Ends the worker in good order; returns when it is gone, at the latest after `deadline`.
    func drain(deadline: Duration) async {
        isDraining = true
        timer?.cancel()
        wake(nil)
        guard process != nil || worker != nil else { return }
        worker?.drain()
        if worker == nil { process?.kill(SIGTERM) }
        let killer = LoopTimer(after: deadline) { [weak self] in
            guard let self else { return }
            self.logger.warning("worker killed: not drained in time")
            self.process?.kill(SIGKILL)
            if self.process == nil { self.died() }
        }
        await withCheckedContinuation { drained = $0 }
        killer.cancel()
        if listening >= 0 { close(listening) }
        unlink(launcher.place.socket)
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension WorkerSupervisor: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        link.refusalForStrangers(at: "napkind")
    }

    func linkEstablished(_ link: Link) {}

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        switch header.kind {
        case .register where worker?.link !== link:
            guard let register = payload.decoded(Register.self) else {
                return link.violate("an unreadable register frame")
            }
            registered(link, register)
        case .answer:
            worker?.answered(header, payload)
        case .pong:
            break
        case .refused:
            worker?.refused(header, payload)
        default:
            link.violate("a \(header.kind) frame from a worker")
        }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {
        guard worker?.link === link else { return }
        worker?.ended()
        worker = nil
        // A child's death is reported by its exit; a worker of an earlier napkind only so.
        guard process == nil, !launcher.isInProcess else { return }
        lastDeath = "its connection ended"
        died()
    }
}

extension UnsafeRawBufferPointer {
    /// The value that fills these bytes; `nil` when they are something else.
    func decoded<T: Decodable>(_ type: T.Type) -> T? {
        do {
            var reader = CBORReader(self)
            let value = try reader.read(type)
            try reader.expectEnd()
            return value
        } catch {
            // The caller refuses an unreadable frame, whatever is wrong with it.
            return nil
        }
    }
}
