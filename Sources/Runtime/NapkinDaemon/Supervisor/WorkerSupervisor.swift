// WorkerSupervisor: keeps one of an app's workers running.
//
// Ownership  owned by the app's supervisor until both worker and program are gone; owns the
//            worker's process, its link and its listening socket.

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Performs what the state machine of one worker decides.
@MainActor
final class WorkerSupervisor {
    /// The time that a front waits for a worker to start and register. Chosen: longer than a
    /// program may take to register, so that the front learns of a failure.
    private static let admissionDeadline = Duration.seconds(10)
    /// The number of checks of a socket that answers although its worker's lock is free: a killed
    /// process closes its descriptors one after another. Chosen; after these checks, the socket
    /// counts as another process's.
    private static let dyingChecksMax = 3

    let id: WorkerID
    let owner: AppSupervisor
    /// Whether the worker opens no session, because only its program is tried.
    private let isTrial: Bool
    private let options: WorkerOptions
    private let logger: Logger
    let process: WorkerProcess
    private var pendingLink: Link?
    private(set) var worker: WorkerLink?
    private(set) var socket: WorkerSocket
    private(set) var machine: SupervisionStateMachine
    private(set) var nextConnection: UInt64 = 0
    private var timer: LoopTimer?
    private var registration: RegistrationWait?
    private(set) var watchdog: Watchdog?
    /// The number of fronts that wait for the worker to start.
    var waitingFronts = 0
    private var dyingChecks = 0
    /// Whether the worker has ended, or is being ended, because another machine has its journal.
    var hasYielded = false
    private var waiters: [UInt64: CheckedContinuation<WorkerLink?, Never>] = [:]
    private var nextWaiter: UInt64 = 0
    /// Waiters for the end of the drain.
    private var drained: [CheckedContinuation<Void, Never>] = []
    /// The number of fronts that the last worker had when it died.
    private var formerFronts = 0
    /// The number of unanswered requests, for which the worker is kept.
    var openRequests = 0

    init(_ number: Int, of owner: AppSupervisor, isTrial: Bool = false) {
        (self.owner, self.isTrial) = (owner, isTrial)
        id = owner.id(number)
        options = owner.apps.options(of: id)
        socket = WorkerSocket(path: options.socket)
        machine = SupervisionStateMachine(restart: owner.app.restart)
        var logger = Logger(label: Daemon.name)
        logger[metadataKey: "app.id"] = "\(id.app)"
        if number > 0 { logger[metadataKey: "worker"] = "\(id)" }
        self.logger = logger
        process = WorkerProcess(
            lockPath: owner.apps.state.workerLock(id), log: owner.log, logger: logger)
    }

    /// Whether a worker that outlived an earlier napkind is alive and has yet to register.
    var expectsWorker: Bool {
        worker == nil && process.child == nil && pendingLink == nil && process.lives
    }

    // MARK: - Waiting

    /// Returns the worker, which is started if necessary.
    func registeredWorker() async throws(Refusal) -> WorkerLink {
        if hasYielded { throw unavailable }
        nextWaiter += 1
        let id = nextWaiter
        let action = machine.workerRequested(by: id, at: .monotonic)
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
            if self?.machine.waiterTimedOut(id) == true { self?.wake([id], nil) }
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
        guard !process.lives else { return attempted(.anotherLives) }
        process.endChildren()
        let output = owner.log.open()
        defer { close(output) }
        do throws(StartError) {
            try socket.listen()
            owner.log.workerStarts(id)
            let launcher = WorkerLauncher(
                options: options, logLevel: owner.logLevel,
                settings: owner.apps.settings(of: id.app))
            let flight = owner.crashBook.memory(
                for: app.manifest.worker.path, expecting: formerFronts)
            let (channel, child) = try launcher.start(
                app, opening: isTrial ? [] : owner.sessionsToOpen(by: id),
                listening: socket.descriptor, output: output, noting: flight.memory
            ) { [weak self] status in self?.workerExited(status) }
            process.started(child, of: app, noting: flight, onExcess: onExcess(of: child.pid))
            expectRegistration(of: child.pid)
            pendingLink = Link(
                channel: channel,
                role: .acceptor(.napkind, server: RequestServer.greeting, pid: getpid()),
                delegate: self)
            logger.info("worker started", metadata: ["worker.pid": "\(child.pid)"])
            dyingChecks = 0
            attempted(.started)
        } catch {
            if error.exitCode == EX_UNAVAILABLE, dyingChecks < Self.dyingChecksMax {
                dyingChecks += 1
                return attempted(.anotherLives)
            }
            dyingChecks = 0
            logger.error("worker not started", metadata: ["error": "\(error.message)"])
            attempted(.failed(reason: error.message))
        }
    }

    private func attempted(_ attempt: SupervisionStateMachine.Attempt) {
        perform(machine.startAttempted(attempt, at: .monotonic, jitter: Self.jitter))
    }

    private func startTimer(_ delay: Duration) {
        timer = LoopTimer(after: delay) { [weak self] in
            if self?.machine.timerFired() == true { self?.start() }
        }
    }

    /// Limits the wait for a program that may be no worker at all.
    private func expectRegistration(of pid: Int32) {
        registration = RegistrationWait(for: pid) { [weak self] in
            guard let self, worker == nil, process.child?.pid == pid else { return }
            end(pid, for: .unregistered(RegistrationWait.limit))
        }
    }

    /// Handles the worker's registration, on a connection that we or the worker opened.
    func registered(_ link: Link, _ register: Register) {
        nextConnection += 1
        let former = worker
        let worker = WorkerLink(link: link, number: nextConnection, register: register)
        link.delegate = self
        (self.worker, pendingLink, hasYielded) = (worker, nil, false)
        timer?.cancel()
        registration?.end()
        process.began(register.pid, of: app, onExcess: onExcess(of: register.pid))
        if !machine.isDraining {
            watchdog = Watchdog(link: link, pid: register.pid, patience: app.hang) { [weak self] in
                self?.workerHung(worker)
            }
        }
        if owner.isLevelChanged { tellLogLevel(worker) }
        logger.info("worker registered", metadata: ["worker.pid": "\(register.pid)"])
        switch machine.registered(on: worker.number) {
        case .run(let waiters): wake(waiters, worker)
        case .drain: worker.drain()
        }
        former?.ended()
        former?.link.close()
    }

    // MARK: - Killing

    /// Kills the process, unless that is done already; returns whether it did.
    @discardableResult
    private func end(_ pid: Int32, for cause: WorkerDeath.Cause) -> Bool {
        guard machine.killRequested(for: cause, at: .monotonic) else { return false }
        process.kill(pid, printsTrace: cause.printsTrace)
        return true
    }

    private func onExcess(of pid: Int32) -> (WorkerExcess) -> Void {
        { [weak self] excess in
            guard let self, process.child?.pid == pid || process.lives(as: pid) else { return }
            end(pid, for: .exceeded(excess))
        }
    }

    private func workerHung(_ worker: WorkerLink) {
        let pid = worker.register.pid
        guard let patience = app.hang, self.worker === worker, process.lives(as: pid)
        else { return }
        end(pid, for: .hung(patience))
    }

    /// Kills a worker that has outlived an earlier napkind and does not register within `app.hang`.
    func expectAnotherRegistration() {
        guard let patience = app.hang else { return }
        _ = LoopTimer(deadline: patience) { [weak self] in
            guard let self, expectsWorker, let pid = process.findHolder() else { return }
            if ProcessStatus(of: pid)?.isPaused == true { return expectAnotherRegistration() }
            if end(pid, for: .unheard(patience)) { noteDeath() }
        }
    }

    // MARK: - Dying

    private func workerExited(_ status: ChildProcess.ExitStatus) {
        process.ended(with: status)
        registration?.end()
        watchdog = nil
        // Clear both first: closing a link reports its end, which must not count as a second death.
        let (dead, pending) = (worker, pendingLink)
        formerFronts = dead?.fronts ?? formerFronts
        (worker, pendingLink) = (nil, nil)
        dead?.ended()
        dead?.link.close()
        pending?.close()
        let end = WorkerDeath.Cause(status)
        perform(
            owner.apps.cluster != nil && (end.yields || hasYielded)
                ? machine.workerYielded()
                : machine.childExited(
                    end, weight: weight(of: end), at: .monotonic, jitter: Self.jitter))
        process.endChildren()
    }

    private func weight(of end: WorkerDeath.Cause) -> RestartPolicy.Weight {
        owner.crashBook.weight(of: process.recording, machine.cause(of: end))
    }

    private func perform(_ action: SupervisionStateMachine.Action) {
        switch action {
        case .ignore: break
        case .checkAgain(let delay): startTimer(delay)
        case .drained:
            Loop.keepingResumesOnLoop { for waiter in drained { waiter.resume() } }
            drained = []
        case .yield(let waiters):
            logger.notice("another machine has the worker's sessions, or may take them over")
            hasYielded = true
            wake(waiters, nil)
            socket.close(isOurs: true)
            owner.remove(self)
        case .restart(let delay):
            noteDeath()
            startTimer(delay)
        case .giveUp(let waiters) where machine.isOver:
            wake(waiters, nil)
            finish()
        case .giveUp(let waiters):
            noteDeath()
            logger.error("app degraded: its worker died too often")
            wake(waiters, nil)
        }
    }

    private func noteDeath() {
        guard let death = machine.death else { return }
        let memory = app.limits.memory
        let receipt = owner.crashBook.died(process, of: id, app.manifest, death)
        owner.log.findLastWords(death.cause.lastWords, of: id, pid: process.newest) {
            [weak self] words in
            guard let self else { return }
            machine.lastWordsFound(words, of: death, memory: memory)
            if let receipt {
                owner.crashBook.explain(receipt, death.text(saying: words, memory: memory))
            }
        }
        let cause = machine.death?.text ?? death.text
        logger.warning("worker died", metadata: ["cause": "\(cause)"])
        owner.log.workerDied(id, cause)
    }

    // MARK: - Manifests

    /// Handles a manifest that has changed or returned.
    func programReplaced() { machine.programReplaced(restart: app.restart) }

    /// Handles the removal of the manifest: a running worker continues until it ends.
    func withdraw() {
        wake(machine.programWithdrawn(), nil)
        if machine.isOver, !expectsWorker { finish() }
    }

    private func finish() {
        timer?.cancel()
        socket.close(isOurs: false)
        owner.remove(self)
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
            process.child?.kill(SIGTERM)
            wake(waiters, nil)
        case .none(let waiters):
            wake(waiters, nil)
            socket.close(isOurs: false)
            return
        }
        let killer = LoopTimer(after: deadline) { [weak self] in
            guard let self else { return }
            guard self.machine.drainOverdue(), let child = self.process.child else {
                return self.perform(.drained)
            }
            self.logger.warning("worker killed: not drained in time")
            child.kill(SIGKILL)
        }
        await withCheckedContinuation { drained.append($0) }
        killer.cancel()
        socket.close(isOurs: true)
    }

    /// Ends the worker in good order, and after `deadline` by SIGKILL, even if an earlier napkind
    /// has started it. Returns when it is gone.
    func end(within deadline: Duration) async {
        let holder = expectsWorker ? process.findHolder() : nil
        let former = process.child == nil ? worker?.register.pid ?? holder : nil
        let last = former ?? pid
        defer { if let last { owner.log.workerEnded(last) } }
        // A worker that has not registered has no link over which it could be drained.
        if worker == nil, let former { kill(former, SIGTERM) }
        let end = ContinuousClock.now + deadline
        await drain(deadline: deadline)
        if let former { await process.untilGone(former, deadline: end) }
    }

    private static var jitter: Double { Double.random(in: 0..<1) }
}

extension WorkerSupervisor: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        link.refusalForStrangers(at: "napkind")
    }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        switch header.kind {
        case .register:
            let isKnown = worker?.link === link
            let pid = isKnown ? worker?.register.pid : process.child?.pid ?? getpid()
            guard let register = payload.decoded(Register.self), register.refusal == nil,
                register.app == id.app, register.pid == pid, socket.isThis(register.socket)
            else { return link.violate("a register frame that does not fit its process") }
            owner.workerReported(register, by: id.number)
            if isKnown { worker?.workerReported(register) }
            if isKnown, let death = register.died {
                owner.crashBook.childDied(death, of: id, app.manifest, process, owner.log)
            }
            if !isKnown, !register.continues { registered(link, register) }
        case .pong: watchdog?.answered(header.sequence)
        default:
            guard let worker, worker.link === link else {
                return link.violate("a \(header.kind) frame from a worker that has not registered")
            }
            worker.received(header, payload)
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        guard let worker, worker.link === link else { return }
        formerFronts = worker.fronts
        worker.ended()
        self.worker = nil
        watchdog = nil
        // A child's exit reports its death; a worker of an earlier napkind has only its connection.
        if process.child == nil { process.ended() }
        perform(
            process.child == nil && hasYielded
                ? machine.workerYielded()
                : machine.connectionEnded(
                    worker.number, weight: weight(of: .disconnected), at: .monotonic,
                    jitter: Self.jitter))
    }
}
