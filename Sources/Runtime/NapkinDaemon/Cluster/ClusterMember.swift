// ClusterMember: napkind as one of the machines that share a database.
//
// Ownership  owned by the hosted apps; owns the directory, whose queries run on a separate queue,
//            and the checks of silent workers.
// Invariant  the loop never waits for the database, and no decision about who commits is made here.
// Spec       Protocol/LEDGER.md, "Machines"

import Glibc
import Logging
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinTransport

@MainActor
final class ClusterMember {
    typealias Questions = ClusterDirectory.Questions

    /// The time between two reports, and between two searches for due journals. Chosen: a lease.
    private static let interval = Duration.seconds(5)
    /// How long a front waits for a session that changes machines. Chosen: a lease and a start.
    static let patience = Duration.seconds(8)
    /// The pause before the database is queried again. Chosen: hardly a wait.
    static let pause = Duration.milliseconds(250)
    /// The number of other machines that a front learns of. Chosen: one of them will be there.
    private static let addressesMax = 8
    /// The time before a due journal is tried again if its worker did not start or found nothing to
    /// do. Chosen: like a timer of a journal in a file.
    private static let retryMilliseconds: UInt64 = 60_000

    /// This machine's name.
    let name: String
    private let server: RequestServer
    private let directory: ClusterDirectory
    private weak var apps: HostedApps?
    /// All machines, as of the last report.
    private(set) var machines: [ClusterDirectory.Machine] = []
    private(set) var isDraining = false
    /// Why the last report failed; `nil` if it did not.
    private(set) var failure: String?
    /// Whether another napkind has this machine's name.
    private var isTwin = false
    private var cluster = ""
    private var first: Task<Void, Never>?
    private var isReporting = false
    private var timer: LoopTimer?
    private var silent: SilentWorkers?
    /// The time until which each due journal is left alone.
    private var tried: [String: UInt64] = [:]

    /// Returns `nil` if durable sessions are in files.
    init?(_ server: RequestServer) {
        guard case .postgres(let database) = server.options.ledgerBackend else { return nil }
        self.server = server
        name = server.options.machineName
        directory = ClusterDirectory(
            database: database, directory: server.state.journalDirectory.path)
    }

    // MARK: - Reports

    func start(_ apps: HostedApps) {
        self.apps = apps
        do throws(TransportError) {
            try server.state.journalDirectory.ensure()
        } catch {
            server.logger.error("no directory of journals", metadata: ["reason": "\(error)"])
        }
        first = Task.immediate { await report() }
        timer = LoopTimer(every: Self.interval) { [weak self] in
            guard let self, !isReporting else { return }
            Task {
                await self.report()
                await self.poll()
            }
        }
        silent = SilentWorkers(of: self, apps)
    }

    func stop() {
        timer?.cancel()
        silent?.stop()
    }

    private var own: ClusterDirectory.Machine {
        let options = server.options
        var machine = ClusterDirectory.Machine(
            name: name, host: options.machineAddress, socket: options.socket == nil ? "" : path)
        machine.isDraining = isDraining
        return machine
    }

    private var path: String { server.socket.text }

    private func report() async {
        isReporting = true
        defer { isReporting = false }
        let machine = own
        let place = "\(HostOptions.hostName):\(server.state.path)"
        do throws(StoreError) {
            (machines, cluster) = try await directory.ask { (questions) throws(StoreError) in
                (try questions.report(machine, at: place), questions.cluster)
            }
            if failure != nil { server.logger.notice("the cluster's database is there") }
            (failure, isTwin) = (nil, false)
        } catch {
            let isNews = failure != "\(error)"
            (failure, isTwin) = ("\(error)", error.code == .busy)
            guard isNews else { return }
            server.logger.error(
                "the cluster's database cannot be used", metadata: ["reason": "\(error)"])
        }
    }

    /// The machines that have reported lately, except this one.
    private var others: [ClusterDirectory.Machine] {
        machines.filter { $0.name != name && $0.seconds <= MachineInfo.silenceSecondsMax }
    }

    /// The machines that a front learns of, in case this one fails.
    var addresses: [MachineAddress]? {
        let known = others.filter { !$0.isDraining }.prefix(Self.addressesMax).map(\.address)
        return known.isEmpty ? nil : Array(known)
    }

    // MARK: - Questions

    func ask<T: Sendable>(
        _ body: @escaping @Sendable (Questions) throws(StoreError) -> T
    ) async throws(Refusal) -> T {
        await first?.value
        if isTwin, let failure { throw Refusal(.workerUnavailable, failure) }
        do throws(StoreError) {
            return try await directory.ask(body)
        } catch {
            // Another machine may still reach the database.
            throw Refusal(
                .workerUnavailable, "the machines' sessions cannot be found: \(error)",
                machine: addresses?.first)
        }
    }

    var placement: ClusterPlacement {
        ClusterPlacement(
            machine: name, isDraining: isDraining,
            others: others.filter { !$0.isDraining }.map(\.name))
    }

    /// Returns the number of the one worker that may have the session, as the database keeps it;
    /// empty if the session is here, or if there is none and the front creates none.
    ///
    /// Throws `elsewhere` with the machine that has it.
    func candidates(
        for session: String, _ open: Open, of app: AppSupervisor
    ) async throws(Refusal) -> [Int] {
        if app.apps.runs(session) { return [] }
        while true {
            if let found = try await find(session) { return try await place(found, of: app) }
            guard open.creates else { return [] }
            let number = try await chooseWorker(for: session, of: app)
            let journal = app.id(number).fileName
            let isKept = try await ask { (database) throws(StoreError) in
                try database.reserve(session, in: journal)
            }
            if isKept { return [number] }
        }
    }

    private func place(
        _ found: ClusterDirectory.Session, of app: AppSupervisor
    ) async throws(Refusal) -> [Int] {
        guard let id = WorkerID(fileName: found.journal) else { return [] }
        guard id.app == app.app.id else { throw .session(found.name, belongsTo: id.app) }
        let candidate = ClusterPlacement.Candidate(
            number: id.number, journal: found.journal, owner: found.owner)
        let numbers = try await workersHere(placement.existing(on: candidate), found.name, of: app)
        guard found.isStored else { return numbers }
        let apps = app.apps
        if apps.sessions.worker(of: found.name, at: apps.now) != id {
            _ = apps.sessions.killed(found.name, at: apps.now)
        }
        _ = apps.sessions.found([found.name], storedBy: id)
        return numbers
    }

    private func chooseWorker(
        for session: String, of app: AppSupervisor
    ) async throws(Refusal) -> Int {
        var numbers = app.candidates(for: session)
        guard !numbers.isEmpty else { throw app.refusal(of: session) }
        if app.app.isolation == .session {
            let id = app.app.id
            let free = try await ask { (database) throws(StoreError) in
                try database.freeNumbers(of: id, upTo: Isolation.sessionsMax)
            }
            numbers = free.filter(app.isFree)
            guard !numbers.isEmpty else { throw app.refusal(.noNumber) }
        }
        let journals = numbers.map { app.id($0).fileName }
        let owners = try await owners(of: journals)
        let candidates = zip(numbers, journals).map {
            ClusterPlacement.Candidate(number: $0, journal: $1, owner: owners[$1])
        }
        numbers = try await workersHere(placement.new(session, among: candidates), session, of: app)
        let sessions = app.apps.sessions
        let least = numbers.min { sessions.count(of: app.id($0)) < sessions.count(of: app.id($1)) }
        guard let least else { throw app.refusal(.noNumber) }
        return least
    }

    func owners(
        of journals: [String]
    ) async throws(Refusal) -> [String: ClusterDirectory.Owner] {
        try await ask { (database) throws(StoreError) in try database.owners(of: journals) }
    }

    /// Returns the numbers if the session is here; otherwise throws `elsewhere` with its machine.
    func workersHere(
        _ decision: ClusterPlacement.Decision, _ session: String, of app: AppSupervisor
    ) async throws(Refusal) -> [Int] {
        switch decision {
        case .here(let numbers): return numbers
        case .nowhere:
            throw Refusal(
                .workerUnavailable,
                "\(name) is drained, and no other machine of the cluster was heard lately: "
                    + "`napkin-client restart napkind` ends the drain")
        case .there(let machine):
            // It may have registered since the last report.
            if !machines.contains(where: { $0.name == machine }) { await report() }
            guard let known = machines.first(where: { $0.name == machine }) else {
                throw Refusal(
                    .workerUnavailable,
                    "session '\(session)' is on \(machine), which is no napkind of the cluster: "
                        + "`napkin-client machines` lists them")
            }
            throw Refusal(
                .elsewhere,
                "session '\(session)' is on the machine \(machine): `napkin-client --host "
                    + "\(known.host) attach \(app.app.id) --session \(session)` goes there",
                machine: known.address)
        }
    }

    func find(_ session: String) async throws(Refusal) -> ClusterDirectory.Session? {
        let found = try await ask { (database) throws(StoreError) in try database.find(session) }
        // Another machine has ended it, or renamed it.
        if found == nil, let apps, apps.sessions.isStored(session) {
            _ = apps.sessions.killed(session, at: apps.now)
        }
        return found
    }

    /// Learns of a session that a tool asks about, if it is stored and nobody else has it now.
    ///
    /// Throws `elsewhere` with the machine that has it.
    func learn(of session: String) async throws(Refusal) {
        guard let apps, !apps.runs(session), let found = try await find(session),
            let id = WorkerID(fileName: found.journal), let app = apps.supervisors[id.app]
        else { return }
        _ = try await place(found, of: app)
    }

    /// Throws `elsewhere` with the machine that has the journal of an app's worker.
    func refuse(_ number: Int, of app: AppSupervisor) async throws(Refusal) {
        let journal = app.id(number).fileName
        let owner = try await owners(of: [journal])[journal]
        let candidate = ClusterPlacement.Candidate(number: number, journal: journal, owner: owner)
        _ = try await workersHere(placement.existing(on: candidate), app.app.id, of: app)
    }

    // MARK: - Unasked

    /// Returns the numbers of the app's workers that this machine has, or had last.
    func places(of app: AppSupervisor) async -> Set<Int>? {
        let name = name
        do throws(Refusal) {
            let journals = try await ask { (database) throws(StoreError) in
                try database.places(of: name)
            }
            let ids = journals.compactMap(WorkerID.init(fileName:))
            return Set(ids.filter { $0.app == app.app.id }.map(\.number))
        } catch {
            // The report has logged why.
            return nil
        }
    }

    /// Returns the numbers of the app's workers that have sessions, on whichever machine.
    func journals(of app: AppSupervisor) async throws(Refusal) -> [Int] {
        let journals = try await ask { (database) throws(StoreError) in try database.journals() }
        let ids = journals.compactMap(WorkerID.init(fileName:))
        return ids.filter { $0.app == app.app.id }.map(\.number).sorted()
    }

    /// Starts the app's own sessions that no machine has.
    func startSessions(of app: AppSupervisor) async {
        let apps = app.apps
        for session in app.app.sessions {
            let open = Open(app: app.app.id, session: session)
            guard app.startsUnasked,
                // It is elsewhere, or the database is unreachable: the next round asks again.
                let numbers = try? await candidates(for: session, open, of: app), !numbers.isEmpty,
                case .admit = apps.sessions.opened(open, at: apps.now, among: numbers),
                let id = apps.sessions.worker(of: session, at: apps.now)
            else { continue }
            Task {
                await app.worker(id.number).startUnasked()
                apps.sessions.openEnded(session, at: apps.now)
                app.opened(id.number)
            }
        }
    }

    /// Takes over journals that are due and that no machine has.
    private func poll() async {
        guard let apps, failure == nil, !isDraining else { return }
        for app in apps.ordered where app.app.isolation == .shared { app.startSessions() }
        do throws(Refusal) {
            let due = try await ask { (database) throws(StoreError) in try database.due() }
            tried = tried.filter { $0.value > apps.now }
            for journal in due where tried[journal] == nil {
                guard let id = WorkerID(fileName: journal), let app = apps.supervisors[id.app],
                    app.startsUnasked
                else { continue }
                tried[journal] = apps.now + Self.retryMilliseconds
                server.logger.info("due sessions taken over", metadata: ["worker": "\(journal)"])
                Task {
                    await app.worker(id.number).startUnasked()
                    app.opened(id.number)
                }
            }
        } catch {
            // The next poll asks again.
            return
        }
    }

    // MARK: - Tools

    /// Ends the workers with journals; their fronts go to other machines.
    func drain() async throws(Refusal) -> ControlOutcome {
        await report()
        guard let apps, others.contains(where: { !$0.isDraining }) else {
            throw Refusal(
                .workerUnavailable,
                failure ?? "no other machine of the cluster was heard lately, so that nothing "
                    + "would take the sessions over: `napkin-client machines` lists them")
        }
        isDraining = true
        // Before the first front comes back.
        await report()
        var (count, ends) = (0, [Task<Void, Never>]())
        for app in apps.ordered {
            for (number, worker) in app.workers
            where worker.isRegistered && app.journals.levels[number] != nil {
                count += apps.sessions.held(by: worker.id).count
                if let end = app.end(number) { ends.append(end) }
            }
        }
        for end in ends { await end.value }
        await report()
        return ControlOutcome(.done, sessions: count)
    }

    /// - Parameter name: the only session to list.
    func listing(withSessions: Bool, named name: String?) async throws(Refusal) -> Cluster {
        if name == nil {
            await report()
            if let failure { throw Refusal(.workerUnavailable, failure) }
        }
        let infos = machines.map { machine in
            MachineInfo(
                name: machine.name, address: machine.address, seconds: machine.seconds,
                places: machine.places, isDraining: machine.isDraining,
                isHere: machine.name == self.name)
        }
        var listing = Cluster(name: cluster, machines: infos)
        guard withSessions else { return listing }
        let stored = try await ask { (database) throws(StoreError) -> [ClusterDirectory.Session] in
            guard let name else { return try database.sessions() }
            return try [database.find(name)].compactMap(\.self).filter(\.isStored)
        }
        listing.sessions = stored.map { session in
            let app = WorkerID(fileName: session.journal)?.app ?? session.journal
            let machine = session.owner?.isHeld == true ? session.owner?.machine : nil
            return ClusterSession(
                session: session.name, app: app, journal: session.journal, machine: machine)
        }
        return listing
    }
}

extension ClusterDirectory.Machine {
    fileprivate var address: MachineAddress {
        MachineAddress(host: host, socket: socket.isEmpty ? nil : socket)
    }
}
