// Dashboard: a daemon's apps and sessions, kept current, and a person's actions on them.
//
// Ownership  owns the connection to the daemon and reconnects when it is lost.
// Invariant  fetches one page's data at a time, beside the list: no query serves a hidden
//            page.

import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport
import Observation

@MainActor
@Observable
final class Dashboard {
    enum Page: String, CaseIterable {
        case sessions = "Sessions"
        case fronts = "Fronts"
        case tree = "Tree"
        case calls = "Calls"
        case trace = "Trace"
        case log = "Log"
        case ledger = "Ledger"
    }

    struct Front: Equatable, Identifiable {
        struct ID: Hashable {
            var session: String
            var front: UInt64
        }

        let session: String
        let listing: SessionListing.Front

        var id: ID { ID(session: session, front: listing.front) }
    }

    /// The time between two queries for the list. Chosen: as in most systems' `top`.
    private static let interval = Duration.seconds(1)
    /// The time between two queries for other machines' sessions, which the database lists. Chosen:
    /// as often as the machines report to the database.
    private static let clusterInterval = Duration.seconds(5)

    private(set) var list = SessionList([], [])
    private(set) var isLoaded = false
    private(set) var fronts: [Front] = []
    /// The programs that each session holds on this machine, in words.
    private(set) var held: [String: String] = [:]
    @ObservationIgnored private var status: DaemonStatus?
    /// The stored sessions of the cluster's other machines, and when they were asked for.
    @ObservationIgnored private var others: [ClusterSession] = []
    @ObservationIgnored private var othersAsked: ContinuousClock.Instant?
    var page = Page.sessions
    /// The selected line of the list, by its `id`.
    var selection: String? {
        // A table that gets the focus again selects the line that it has.
        didSet { if selected?.info?.session != renaming?.from { renaming = nil } }
    }
    /// A rename of the selected session that the list does not show yet.
    @ObservationIgnored var renaming: (from: String, to: SessionList.Entry.ID)?
    var front: Front.ID?
    /// Whether the tree and the calls cover all sessions.
    var showsAll = false
    /// How often a worker checks its trees for changes. Chosen: immediate, to a person.
    @ObservationIgnored private var treeInterval = Duration.milliseconds(100)
    /// The interval over which calls are counted.
    @ObservationIgnored private var callsInterval = Dashboard.interval
    /// The tree's lines and the indices of lines that have just changed.
    private(set) var tree: [String] = []
    private(set) var changed: Set<Int> = []
    /// The calls of the last interval and all calls since the page was opened.
    private(set) var calls: TopTable?
    private(set) var allCalls: TopTable?
    /// The workers that did not answer, so that both tables lack their calls.
    private(set) var uncalled: [String] = []
    /// The crossing that is shown in detail, by its `id`.
    var crossing: String?
    private(set) var trace = KeptLines()
    var traceFilter = TraceFilter() { didSet { trace.show(traceFilter.admits) } }
    private(set) var log = KeptLines()
    @ObservationIgnored let ledger = LedgerBrowser()
    /// Shows a notice on the screen.
    @ObservationIgnored var say: (String) -> Void = { _ in }
    /// Leaves the dashboard for a session.
    @ObservationIgnored var attach: (SessionList.Entry) -> Void = { _ in }
    /// Whether a person may only watch.
    let isReadOnly: Bool
    @ObservationIgnored let daemon: DaemonOptions
    @ObservationIgnored private var connection: DaemonConnection?
    private(set) var apps: [AppInfo] = []
    /// The reason for the last failed query, as shown to the person.
    @ObservationIgnored private var loss: String?

    init(_ daemon: DaemonOptions, isReadOnly: Bool = false) {
        self.daemon = daemon
        self.isReadOnly = isReadOnly
    }

    /// The selected line of the list; `nil` once it is gone, so that no action hits another line.
    var selected: SessionList.Entry? {
        guard let selection else { return list.entries.first }
        return list.entries.first { $0.id == selection }
    }

    /// The sessions or workers that the tree and the calls cover.
    var subjects: [Subject] {
        if showsAll { return apps.flatMap(\.workerNames).map { Subject(app: $0) } }
        return selected.map { [Subject(app: $0.app, session: $0.sessionName)] } ?? []
    }

    /// Opens a page on a session, on an app's session, or, without a name, on everything.
    func open(
        _ page: Page, at name: String?, every interval: Duration?
    ) async throws(ClientFailure) {
        try await load()
        (self.page, showsAll) = (page, name == nil)
        if let interval, page == .tree { treeInterval = interval }
        if let interval, page == .calls { callsInterval = interval }
        guard let name else { return }
        let found =
            list.entries.first { $0.info?.session == name } ?? list.entries.first { $0.id == name }
        guard let found else {
            let known = list.entries.map(\.sessionName)
            throw .noInput(
                "there is no session and no app '\(name)'"
                    + Suggestion.hint(for: name, among: known)
                    + "; `napkin-client ls` and `napkin-client apps` list them")
        }
        selection = found.id
    }

    // MARK: - The daemon

    private func connected() async throws(ClientFailure) -> DaemonConnection {
        if let connection { return connection }
        let new = try await daemon.connect()
        // Another task may have connected in the meantime.
        guard let connection else {
            connection = new
            return new
        }
        new.close()
        return connection
    }

    func query<T: Decodable & Sendable>(_ query: Query) async throws(ClientFailure) -> T {
        let connection = try await connected()
        do throws(FrontError) {
            return try await connection.query(query)
        } catch {
            if error.refusal == nil { lose(connection) }
            throw ClientFailure(error)
        }
    }

    private func lose(_ lost: DaemonConnection) {
        guard connection === lost else { return }
        lost.close()
        // The next connection may lead to another machine.
        (connection, status, othersAsked) = (nil, nil, nil)
    }

    /// Closes the connection while another program or a session has the screen.
    func disconnect() { connection.take()?.close() }

    func load() async throws(ClientFailure) {
        let connection = try await connected()
        do throws(ClientFailure) {
            let found = try await WorkerAnswers<SessionInfo>(from: connection, daemon)
            // A failure without a refusal is a lost connection, not a silent worker.
            let lost = found.failures.first { $0.failure.refusal == nil }
            if let lost { throw lost.failure }
            if apps != found.apps { apps = found.apps }
            let status: DaemonStatus =
                if let status { status } else { try await query(.status) }
            self.status = status
            if status.machine != nil { await loadOthers() }
            let sessions = list.remembered(found.items)
            let silent = found.failures.map { ($0.app, $0.failure.message) }
            take(
                SessionList(
                    found.apps + found.broken, sessions,
                    silent: Dictionary(silent) { first, _ in first },
                    elsewhere: others),
                sessions.flatMap { info in
                    SessionListing(info, user: UserName.of).fronts
                        .map { Front(session: info.session, listing: $0) }
                })
            loadHeld(in: status.stateDirectory)
            if loss != nil { say("napkind answers again") }
            loss = nil
        } catch {
            lose(connection)
            throw error
        }
    }

    private func loadOthers() async {
        let age = othersAsked?.duration(to: .now)
        guard age.map({ $0 >= Self.clusterInterval }) ?? true else { return }
        othersAsked = .now
        do throws(ClientFailure) {
            let cluster: Cluster = try await query(.cluster(sessions: true))
            let here = cluster.machines.first(where: \.isHere)?.name
            others = (cluster.sessions ?? []).filter { $0.machine != here }
        } catch {
            // The database is unreachable: this machine's sessions are listed all the same.
        }
    }

    private func loadHeld(in stateDirectory: String) {
        guard daemon.host == nil else { return }
        let running = HeldListing.all(in: stateDirectory).filter { $0.state == .running }
        let held = Dictionary(grouping: running, by: \.session).mapValues { programs in
            programs.map { "\($0.key) (process \($0.pid ?? 0))" }.joined(separator: ", ")
        }
        if held != self.held { self.held = held }
    }

    func take(_ list: SessionList, _ fronts: [Front]) {
        // Assigning an unchanged list would redraw the page.
        if !isLoaded { isLoaded = true }
        if list != self.list { self.list = list }
        if fronts != self.fronts { self.fronts = fronts }
        guard let renaming, let entry = entry(of: renaming.to) else { return }
        selection = entry.id
        if let front, front.session == renaming.from {
            self.front = Front.ID(session: entry.sessionName, front: front.front)
        }
    }

    /// Keeps the selected session selected under its new name, once the list shows it.
    func follow(_ session: String, to name: String) {
        guard let selected, selected.info?.session == session else { return }
        let new = SessionList.Entry.id(of: name, app: selected.app)
        // If another session has the name, the daemon is about to refuse it.
        if entry(of: new) == nil { renaming = (session, new) }
    }

    /// Returns the line of an existing session; an app without sessions also has a line.
    private func entry(of id: SessionList.Entry.ID) -> SessionList.Entry? {
        list.entries.first { $0.id == id && $0.info != nil }
    }

    // MARK: - Sampling

    /// Keeps the list current until the task is cancelled.
    func watchSessions() async {
        while !Task.isCancelled {
            do throws(ClientFailure) {
                try await load()
            } catch {
                if loss != error.message { say(error.message) }
                loss = error.message
            }
            await LoopTimer.wait(Self.interval)
        }
    }

    /// Repeats a step until the task is cancelled; reports a failed step and retries it later.
    private func repeated(
        failing fail: (String) -> Void, _ step: () async throws(ClientFailure) -> Void
    ) async {
        while !Task.isCancelled {
            do throws(ClientFailure) {
                try await step()
            } catch {
                if Task.isCancelled { return }
                fail(error.message)
                await LoopTimer.wait(Self.interval)
            }
        }
    }

    /// Keeps the trees of sessions current, one task per subject, so that none waits for another.
    func watchTrees(of subjects: [Subject]) async {
        (tree, changed) = ([], [])
        var trees: [Subject: [String]] = [:]
        let tasks = subjects.map { subject in
            Task {
                await watchTree(of: subject) { lines in
                    trees[subject] = lines
                    show(subjects.flatMap { trees[$0] ?? [] })
                }
            }
        }
        await withTaskCancellationHandler {
            for task in tasks { await task.value }
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }

    private func watchTree(of subject: Subject, _ show: ([String]) -> Void) async {
        var digest: UInt64?
        await repeated {
            digest = nil
            show([$0])
        } _: { () throws(ClientFailure) in
            let sample: TreeSample = try await query(
                subject.watch(since: digest, every: treeInterval, withInventory: false))
            guard !Task.isCancelled else { return }
            digest = sample.digest
            if let trees = sample.trees {
                show(
                    trees.flatMap { TreeDrawing.lines(of: $0) + QueueDrawing.lines(of: $0.queues) })
            }
            // If no worker runs, napkind answers at once.
            guard sample.digest == 0 else { return }
            show(subject.session.map { ["\($0) does not run: attach to it first."] } ?? [])
            await LoopTimer.wait(Self.interval)
        }
    }

    private func show(_ lines: [String]) {
        guard lines != tree else { return }
        let difference = lines.difference(from: tree).insertions.compactMap { change in
            if case .insert(let offset, _, _) = change { offset } else { nil as Int? }
        }
        // Lines that only moved are not highlighted.
        (changed, tree) = (tree.isEmpty ? [] : Set(difference), lines)
    }

    /// Measures the calls between sessions and their fronts.
    func watchCalls(of subjects: [Subject]) async {
        var (first, before): ([Subject: Figures], [Subject: Figures]) = ([:], [:])
        (calls, allCalls, uncalled) = (nil, nil, [])
        await repeated(failing: say) { () throws(ClientFailure) in
            let now = try await subjects.figures(query)
            guard !Task.isCancelled else { return }
            uncalled = subjects.filter { now[$0] == nil }.map(\.app)
            if !before.isEmpty {
                calls = TopTable(from: before, to: now)
                allCalls = TopTable(from: first, to: now)
            }
            first.merge(now) { first, now in
                // A restarted worker counts from zero, so its baseline starts over.
                first.nanoseconds <= now.nanoseconds ? first : now
            }
            before = now
            await LoopTimer.wait(callsInterval)
        }
    }

    /// Collects a session's messages as they pass.
    func watchTrace(of entry: SessionList.Entry) async {
        var tracer: UInt64?
        var drawing: TraceLine?
        trace = KeptLines()
        trace.show(traceFilter.admits)
        await repeated {
            tracer = nil
            trace.append(["… \($0)"])
        } _: { () throws(ClientFailure) in
            if drawing == nil { drawing = TraceLine(try await query(.schema(app: entry.app))) }
            let batch: TraceBatch = try await query(
                .trace(session: entry.sessionName, tracer: tracer, feature: nil, values: true))
            tracer = batch.tracer
            guard !Task.isCancelled, let drawing else { return }
            let lost = batch.lost > 0 ? ["… \(batch.lost) messages lost"] : []
            let lines = batch.messages.map { drawing.text(of: $0) } + lost
            if !lines.isEmpty { trace.append(lines) }
        }
    }

    /// Collects the lines that an app's workers print.
    func watchLog(of entry: SessionList.Entry) async {
        log = KeptLines()
        let app = apps.first { $0.app == entry.app }
        guard daemon.host == nil, let path = app?.log else {
            return log.append([
                "`\(ClientSetup.current.typed) logs \(entry.app)` shows what its workers print."
            ])
        }
        var lines: [String] = []
        let reader = LogReader(path) { lines.append(String(decoding: $0, as: UTF8.self)) }
        reader.follow()
        while !Task.isCancelled {
            if !lines.isEmpty { log.append(lines) }
            lines = []
            await LoopTimer.wait(.milliseconds(100))
        }
    }
}
