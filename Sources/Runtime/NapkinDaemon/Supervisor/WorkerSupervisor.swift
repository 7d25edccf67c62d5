// WorkerSupervisor: keeps one of an app's workers running, and admits fronts to it.
//
// Ownership  owned by the daemon; owns the worker's process, its link and its listening socket.
// Invariant  at most one process is this worker: its lock decides that, not our memory.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Supervises one worker.
@MainActor
final class WorkerSupervisor {
    /// The time that a front waits for a worker to start and register. Chosen.
    static let admissionDeadline = Duration.seconds(10)
    /// The number of workers that may die in turn while a front is admitted. Chosen.
    private static let admissionsMax = 3
    /// The time that a manifest's program may take to register. Chosen: a waiting front is told.
    static let registrationTime = Duration.seconds(8)
    /// The number of checks of a socket that answers although its worker's lock is free: a killed
    /// process closes its descriptors one after another. Chosen; after that, the socket belongs to
    /// another process.
    private static let dyingLooksMax = 3

    /// The app from which the next worker is started.
    private(set) var app: HostedApp
    let id: WorkerID

    var launcher: WorkerLauncher
    let lockPath: String
    let logger: Logger
    let log: WorkerLog
    private(set) var process: ChildProcess?
    /// The program of the process; `nil` if an earlier napkind has started it.
    private(set) var program: ProgramFile?
    /// The pid of the newest worker, until its leftover processes have been ended.
    var newest: Int32?
    private var pendingLink: Link?
    private(set) var worker: WorkerLink?
    private(set) var socket: WorkerSocket
    private(set) var machine: SupervisionStateMachine
    /// Returns the sessions that the next process opens at start; `nil` for the app's.
    private let opens: () -> [String]?
    /// Called with the registration that names the worker's sessions.
    private let holds: (Register) -> Void
    /// Called when both the worker and its program are gone.
    private let isOver: (WorkerSupervisor) -> Void
    private(set) var nextConnection: UInt64 = 0
    private var timer: LoopTimer?
    var registration: LoopTimer?
    /// Whether the process has been killed because it did not register.
    var isSilent = false
    var lastDeath = "" { didSet { diedAt = .now } }
    var diedAt: ContinuousClock.Instant?
    var watchdog: Watchdog?
    /// Measures the process's use of resources.
    var meter: WorkerMeter?
    /// Whether napkind has killed the process, for the reason in `lastDeath`.
    var isEnded = false
    /// Fronts that wait for the worker to start.
    var waitingFronts = 0
    private var dyingLooks = 0
    private var waiters: [UInt64: CheckedContinuation<WorkerLink?, Never>] = [:]
    private var nextWaiter: UInt64 = 0
    /// Waiters for the end of the drain.
    private var drained: [CheckedContinuation<Void, Never>] = []
    /// The number of unanswered requests, for which the worker is kept.
    var openRequests = 0

    init(
        _ id: WorkerID, of app: HostedApp, launcher: WorkerLauncher, lockPath: String,
        log: WorkerLog, opens: @escaping () -> [String]?,
        holds: @escaping (Register) -> Void, isOver: @escaping (WorkerSupervisor) -> Void
    ) {
        self.id = id
        self.opens = opens
        self.holds = holds
        self.isOver = isOver
        socket = WorkerSocket(path: launcher.place.socket)
        self.app = app
        machine = SupervisionStateMachine(restart: app.restart)
        self.launcher = launcher
        self.lockPath = lockPath
        var logger = Logger(label: Daemon.name)
        logger[metadataKey: "app.id"] = "\(app.id)"
        if id.number > 0 { logger[metadataKey: "worker"] = "\(id)" }
        self.logger = logger
        self.log = log
    }

    var pid: Int32? { worker?.register.pid ?? process?.pid }
    var isRegistered: Bool { worker != nil }
    var state: AppInfo.State { machine.state }
    /// Whether the manifest is gone.
    var isWithdrawn: Bool { machine.isWithdrawn }
    /// The number of deaths that nobody asked for.
    var crashes: Int { machine.crashes }
    /// The cause of the last death, or the reason why no worker starts.
    var death: String? { lastDeath.isEmpty || isWithdrawn ? nil : lastDeath }

    // MARK: - For fronts and tools

    /// Admits one front, whose process is `pid`; the worker knows the ticket when this returns.
    func admit(session: String, for open: Open, pid: Int32) async throws(Refusal) -> Redirect {
        let ticket = Ticket.make()
        let admit = Admit(ticket: ticket, session: session, pid: pid)
        // A worker that dies in between is restarted, unnoticed by the front.
        for attempt in 1...Self.admissionsMax {
            let worker = try await workerForFront()
            do throws(Refusal) {
                try await worker.admit(admit)
                return Redirect(
                    socket: worker.register.socket, ticket: ticket, app: app.id, session: session,
                    death: open.epoch == nil ? nil : recentDeath)
            } catch {
                // A living worker has refused, or does not answer.
                if attempt == Self.admissionsMax || worker.link.isOpen { throw error }
            }
        }
        throw unavailable
    }

    /// Queries the running worker; returns `nil` if none runs.
    ///
    /// - Parameter patience: the time limit for the answer.
    func query(
        _ query: Query, within patience: Duration = WorkerLink.patience
    ) async throws(Refusal) -> AnswerPiece? {
        guard let worker else {
            // A living worker has sessions, which the answer would lack.
            if expectsWorker { throw unregistered }
            return nil
        }
        return try await worker.ask(query, within: patience) { [weak self] in
            self?.silence ?? .zero
        }
    }

    /// Whether a worker that outlived an earlier napkind is alive and has yet to register.
    var expectsWorker: Bool {
        worker == nil && process == nil && pendingLink == nil && ProcessLock.isHeld(lockPath)
    }

    func registeredWorker() async throws(Refusal) -> WorkerLink {
        nextWaiter += 1
        let id = nextWaiter
        let action = machine.workerRequested(by: id, at: Self.now)
        switch action {
        case .proceed:
            guard let worker, worker.link.isOpen else { throw unavailable }
            return worker
        case .refuseShuttingDown:
            throw Refusal(.shuttingDown, "\(Daemon.name) is shutting down")
        case .refuseDegraded: throw unavailable
        case .startAndWait, .wait: break
        }
        let deadline = LoopTimer(deadline: Self.admissionDeadline) { [weak self] in
            guard let self, self.machine.waiterTimedOut(id) else { return }
            self.wake([id], nil)
        }
        defer { deadline.cancel() }
        let found = await withCheckedContinuation { continuation in
            waiters[id] = continuation
            if action == .startAndWait { start() }
        }
        guard let found else { throw unavailable }
        return found
    }

    private func wake(_ ids: [UInt64], _ worker: WorkerLink?) {
        let woken = ids.compactMap { waiters.removeValue(forKey: $0) }
        Loop.keepingResumesOnLoop { for waiter in woken { waiter.resume(returning: worker) } }
    }

    // MARK: - Starting

    private func start() {
        guard !ProcessLock.isHeld(lockPath) else { return attempted(.anotherLives) }
        endChildren()
        let output = log.open()
        defer { close(output) }
        do throws(StartError) {
            try socket.listen()
            log.workerStarts(id)
            let (channel, process) = try launcher.start(
                app, opening: opens(), listening: socket.descriptor, output: output
            ) { [weak self] status in self?.workerExited(status) }
            self.process = process
            newest = process.pid
            limit(process.pid)
            program = ProgramFile(of: app.manifest)
            expectRegistration()
            pendingLink = Link(
                channel: channel,
                role: .acceptor(.napkind, server: RequestServer.greeting, pid: getpid()),
                delegate: self)
            logger.info("worker started", metadata: ["worker.pid": "\(process.pid)"])
            dyingLooks = 0
            attempted(.started)
        } catch {
            if error.exitCode == EX_UNAVAILABLE, dyingLooks < Self.dyingLooksMax {
                dyingLooks += 1
                return attempted(.anotherLives)
            }
            dyingLooks = 0
            lastDeath = error.message
            logger.error("worker not started", metadata: ["error": "\(error.message)"])
            attempted(.failed)
        }
    }

    private func attempted(_ attempt: SupervisionStateMachine.Attempt) {
        switch machine.startAttempted(attempt, at: Self.now, jitter: Self.jitter) {
        case .awaitRegistration: break
        case .lookAgain(let delay): startTimer(delay)
        case .died(let action): perform(action)
        }
    }

    private func startTimer(_ delay: Duration) {
        timer = LoopTimer(after: delay) { [weak self] in
            guard let self, self.machine.timerFired() else { return }
            self.start()
        }
    }

    /// Handles the worker's registration, on a connection that we or the worker opened.
    func registered(_ link: Link, _ register: Register) {
        nextConnection += 1
        let former = worker
        let worker = WorkerLink(link: link, number: nextConnection, register: register)
        link.delegate = self
        self.worker = worker
        pendingLink = nil
        timer?.cancel()
        registration?.cancel()
        watch(worker)
        if launcher.isLevelChanged { tellLogLevel(worker) }
        logger.info("worker registered", metadata: ["worker.pid": "\(register.pid)"])
        switch machine.registered(on: worker.number) {
        case .run(let waiters): wake(waiters, worker)
        case .drain: worker.drain()
        }
        former?.ended()
        former?.link.close()
    }

    // MARK: - Dying

    private func workerExited(_ status: ChildProcess.ExitStatus) {
        process = nil
        registration?.cancel()
        (watchdog, meter) = (nil, nil)
        let wasSilent = isSilent
        switch status {
        case _ where wasSilent || isEnded: break
        case .exited(0) where machine.isDraining: break
        case .exited(let code): died("it exited with code \(code)", exited: true)
        case .signalled(let signal): died("it was ended by signal \(signal)")
        }
        (isSilent, isEnded) = (false, false)
        endChildren()
        // Clear both first: closing a link reports its end, which must not count as a second death.
        let (dead, pending) = (worker, pendingLink)
        worker = nil
        pendingLink = nil
        dead?.ended()
        dead?.link.close()
        pending?.close()
        perform(
            machine.childExited(at: Self.now, jitter: Self.jitter, wasSilent: wasSilent))
    }

    private func perform(_ action: SupervisionStateMachine.DeathAction) {
        switch action {
        case .ignore: break
        case .drained:
            Loop.keepingResumesOnLoop { for waiter in drained { waiter.resume() } }
            drained = []
        case .restart(let delay):
            noteDeath()
            startTimer(delay)
        case .giveUp(let waiters) where machine.isOver:
            wake(waiters, nil)
            over()
        case .giveUp(let waiters):
            noteDeath()
            logger.error("app degraded: its worker died too often")
            wake(waiters, nil)
        }
    }

    // MARK: - Manifests

    /// Adopts a manifest that has changed or returned, for the worker's next start.
    func replace(by app: HostedApp) {
        self.app = app
        machine.programReplaced(restart: app.restart)
    }

    /// Handles the removal of the manifest: a running worker continues until it ends.
    func withdraw() {
        wake(machine.programWithdrawn(), nil)
        if machine.isOver, !expectsWorker { over() }
    }

    private func over() {
        timer?.cancel()
        socket.close(isOurs: false)
        isOver(self)
    }

    // MARK: - Draining

    /// Drains the worker; returns when it is gone, at the latest after `deadline`.
    func drain(deadline: Duration) async {
        timer?.cancel()
        watchdog = nil
        switch machine.drainRequested() {
        case .tell(let waiters):
            worker?.drain()
            wake(waiters, nil)
        case .terminate(let waiters):
            process?.kill(SIGTERM)
            wake(waiters, nil)
        case .none(let waiters):
            wake(waiters, nil)
            socket.close(isOurs: false)
            return
        }
        let killer = LoopTimer(after: deadline) { [weak self] in
            guard let self else { return }
            guard self.machine.drainOverdue(), let process = self.process else {
                return self.perform(.drained)
            }
            self.logger.warning("worker killed: not drained in time")
            process.kill(SIGKILL)
        }
        await withCheckedContinuation { drained.append($0) }
        killer.cancel()
        socket.close(isOurs: true)
    }

    private static var jitter: Double { Double.random(in: 0..<1) }

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
        case .register:
            let isKnown = worker?.link === link
            let pid = isKnown ? worker?.register.pid : process?.pid ?? getpid()
            guard let register = payload.decoded(Register.self), register.refusal == nil,
                register.app == app.id, register.pid == pid, socket.isThis(register.socket)
            else { return link.violate("a register frame that does not fit its process") }
            holds(register)
            if isKnown { worker?.told(register) }
            if !isKnown, !register.continues { registered(link, register) }
        case .pong:
            watchdog?.answered(header.sequence)
        default:
            guard let worker, worker.link === link else {
                return link.violate("a \(header.kind) frame from a worker that has not registered")
            }
            worker.received(header, payload)
        }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {
        guard let worker, worker.link === link else { return }
        worker.ended()
        self.worker = nil
        watchdog = nil
        // A child's exit reports its death; a worker of an earlier napkind has only its connection.
        if process == nil {
            if !isEnded { died("its connection ended") }
            (isEnded, meter) = (false, nil)
        }
        perform(machine.connectionEnded(worker.number, at: Self.now, jitter: Self.jitter))
    }
}
