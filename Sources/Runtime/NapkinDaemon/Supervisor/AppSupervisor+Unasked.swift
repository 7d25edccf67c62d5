// AppSupervisor+Unasked: starts workers without a front: for sessions, journals and timers.
//
// Spec       Protocol/MANIFEST.md, section 4 (Isolation); Protocol/LEDGER.md, "Names"

import Glibc
import Logging
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension AppSupervisor {
    /// The number of workers started at the same time to report their journals. Chosen: each takes
    /// a core while it starts.
    private static let readTogether = 4
    /// The time between two checks of the locks of workers that do not register. Chosen: nobody
    /// waits for the result.
    private static let pollInterval = Duration.seconds(1)

    // MARK: - Sessions of the manifest

    /// Starts the workers of an app that opens sessions without a front.
    func startSessions() {
        guard apps.startsSessions, !isDraining, !isStopped, !app.sessions.isEmpty else { return }
        if let cluster = apps.cluster {
            Task { await cluster.startSessions(of: self) }
            return
        }
        guard isPlural else {
            let worker = worker(0)
            if worker.state == .idle { Task.immediate { await worker.startUnasked() } }
            return
        }
        // Place all sessions before the first worker starts: each learns of all its sessions.
        for session in app.sessions where apps.sessions.app(of: session, at: apps.now) == nil {
            let open = Open(app: app.id, session: session)
            let candidates = candidates()
            guard case .admit = apps.sessions.opened(open, at: apps.now, among: candidates),
                let id = apps.sessions.worker(of: session, at: apps.now)
            else { continue }
            let worker = worker(id.number)
            Task {
                await worker.startUnasked()
                apps.sessions.openEnded(session, at: apps.now)
                opened(id.number)
            }
        }
    }

    /// Returns the sessions that a starting worker opens, and drops those of its former process;
    /// `nil` for the app's only worker, which opens the sessions that the app names.
    func sessionsToOpen(by worker: WorkerID) -> [String]? {
        let sessions = isPlural ? sessionsAtStart(of: worker) : nil
        apps.sessions.workerStarts(worker, opening: sessions ?? [], at: apps.now)
        return sessions
    }

    private func sessionsAtStart(of worker: WorkerID) -> [String] {
        let now = apps.now
        if case .workers(let count) = app.isolation, worker.number <= count,
            !candidates().isEmpty, apps.cluster == nil
        {
            // Killed sessions come back, as they do with the only worker of an app.
            for session in app.sessions where apps.sessions.app(of: session, at: now) == nil {
                let open = Open(app: worker.app, session: session)
                _ = apps.sessions.opened(open, at: now, among: [worker.number])
                apps.sessions.openEnded(session, at: now)
            }
        }
        let own = app.sessions.filter { apps.sessions.worker(of: $0, at: now) == worker }
        guard app.isolation == .session, worker.number > 0 else { return own }
        return own + apps.sessions.held(by: worker).filter { !own.contains($0) }.sorted()
    }

    // MARK: - Journals

    /// Registers a worker that has ended, perhaps before this napkind began, and may have sessions.
    func learn(_ number: Int) {
        let journal = apps.state.journal(of: id(number))
        guard apps.cluster == nil, StateDirectory.hasJournal(at: journal) else { return }
        let names = StoredNames(of: journal)
        journals.found(number, names)
        guard let names else { return }
        for name in apps.sessions.found(names.sessions.map(\.name), storedBy: id(number)) {
            apps.server.logger.warning(
                "a stored session has another's name: end or rename that one, then restart napkind",
                metadata: ["worker": "\(id(number))", "session": "\(name)"])
        }
        setAlarm()
    }

    /// Learns of workers of an earlier napkind that have died without registering.
    func learnOfDead() {
        for number in journals.takeDead(mayRegister: { workers[$0]?.mayRegister == true }) {
            learn(number)
            retireIfUnused(number)
        }
    }

    /// Limits the registration time of workers that have outlived an earlier napkind.
    func expectOtherRegistrations() {
        for worker in workers.values where worker.expectsWorker {
            worker.expectAnotherRegistration()
        }
        pollForDead()
    }

    /// Keeps polling for dead workers while there may be some: one of their timers may be due.
    private func pollForDead() {
        _ = LoopTimer(after: Self.pollInterval) { [weak self] in
            guard let self else { return }
            Task { await self.readJournals() }
            if expectsWorker { pollForDead() }
        }
    }

    /// Records a worker's report of itself and its sessions.
    func workerReported(_ register: Register, by number: Int) {
        journals.registered(register, by: number)
        for session in apps.sessions.registered(register, by: number) {
            apps.server.logger.error(
                "a stored session is not there any more",
                metadata: ["worker": "\(id(number))", "session": "\(session)"])
        }
        guard !register.continues else { return }
        setAlarm()
        // Its last session may exist only in its journal.
        if workers[number]?.isRegistered == true { retireIfUnused(number) }
    }

    /// Whether workers may be started although no front has asked for them.
    var startsUnasked: Bool {
        !isStopped && !isDraining && !isWithdrawn && apps.cluster?.isDraining != true
    }

    /// Starts the workers whose stored sessions are unknown; returns when they have reported, or
    /// cannot.
    func readJournals() async {
        learnOfDead()
        if let reading { return await reading.value }
        if let cluster = apps.cluster, startsUnasked, let places = await cluster.places(of: self) {
            journals.owned(places.filter { workers[$0]?.isRegistered != true })
        }
        guard !journals.unread.isEmpty, startsUnasked else { return }
        let reading = Task { await readUnread() }
        self.reading = reading
        await reading.value
        self.reading = nil
    }

    private func readUnread() async {
        var numbers = journals.unread.sorted()[...]
        while !numbers.isEmpty, startsUnasked {
            let starts = numbers.prefix(Self.readTogether).map { number in
                let worker = worker(number)
                return Task.immediate {
                    await worker.startUnasked()
                    retireIfUnused(number)
                }
            }
            numbers = numbers.dropFirst(starts.count)
            for start in starts { await start.value }
        }
    }

    // MARK: - Timers

    /// Starts workers when their first timers are due.
    func setAlarm() {
        alarm?.cancel()
        alarm = nil
        guard startsUnasked, let wait = journals.alarm(at: MeasuringClock.wallMilliseconds) else {
            return
        }
        alarm = LoopTimer(after: wait) { [weak self] in
            self?.startDue()
            self?.setAlarm()
        }
    }

    private func startDue() {
        guard startsUnasked else { return }
        for number in journals.takeDue(at: MeasuringClock.wallMilliseconds) {
            let worker = worker(number)
            Task {
                if await worker.startUnasked() != nil {
                    journals.startFailed(of: number, at: MeasuringClock.wallMilliseconds)
                    setAlarm()
                }
                opened(number)
            }
        }
    }
}
