// Daemon: the supervisor process, with its apps, its start and its end.
//
// Ownership  owns its server, and one supervisor per app.

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// napkind itself. Runs no feature code and reads no feature's payload.
@MainActor
final class Daemon: RequestHandler {
    nonisolated static let name = RequestServer.name
    static let drainDeadline = RequestServer.drainDeadline
    /// The time limit for one piece of a listing. Chosen: a worker needs milliseconds, and a
    /// stopped worker must be reported soon.
    static let listingPatience = Duration.seconds(1)
    /// The time limit for an answer that a worker holds back. Chosen: a second more than it does.
    static let watchPatience = Duration.seconds(Limits.inspectionHoldSeconds + 1)
    /// The time limit for all workers of an earlier napkind to register. Chosen: ten of their
    /// attempts.
    static let registrationDeadline = WorkerPlace.retryInterval * 10
    /// The time between two checks for workers that have yet to register. Chosen.
    private static let registrationInterval = Duration.milliseconds(20)
    /// The time limit for the end of a session: its handlers and bound tasks have 7 s. Chosen.
    static let killPatience = Duration.seconds(20)

    let server: RequestServer
    let logger: Logger
    var supervisors: [String: AppSupervisor] = [:]
    /// The workers of an earlier napkind that were alive when this one began, by app.
    let survivors: [String: [Int]]
    var sessions = SessionRegistry()
    var catalog: AppCatalog
    /// The manifests that cannot be used, with the reasons.
    var broken: [AppInfo] = []
    let answers = LongAnswers(first: Daemon.firstCursor)
    private(set) var appWatch: AppDirectoryWatch?
    /// The words of `--set`, by app.
    let settings: [String: [String]]
    /// Ends when the workers of an earlier napkind have registered, or their deadline has passed.
    private var registrations: Task<Void, Never>?
    /// Whether apps' own sessions may start: not before the workers of an earlier napkind are
    /// known.
    var startsSessions = false
    /// Sessions whose worker was killed to end them, and until when their fronts are told so.
    var endedByForce: [String: UInt64] = [:]
    /// The workers that have been asked to end a session, by session name.
    var kills: [String: [WorkerID]] = [:]
    /// Whether this napkind hands its workers over to its successor.
    var handsOver = false

    /// - Parameter directories: the directories of manifests.
    init(_ options: HostOptions, directories: [String]) throws(StartError) {
        catalog = AppCatalog(directories)
        settings = try options.settings(by: catalog.entries().map(\.name))
        server = try RequestServer(options)
        logger = server.logger
        survivors = server.state.livingWorkers()
    }

    var state: StateDirectory { server.state }

    // MARK: - Running

    /// Serves until a signal ends it, then drains. Returns the exit code.
    func run() async -> Int32 {
        server.start(self)
        appWatch = AppDirectoryWatch(catalog.directories) { [weak self] paths in
            self?.appsChanged(paths)
        }
        findApps()
        if expectsWorkers {
            registrations = Task.immediate {
                await awaitRegistrations()
                startWorkers()
            }
        }
        let code = await server.untilEnded {
            // Not earlier: the ready descriptor may be the output, which a worker inherits.
            if registrations == nil { startWorkers() }
        }
        guard code == EX_OK else { return code }
        await handsOver ? handOver() : drain()
        return code
    }

    private func drain() async {
        logger.info("draining")
        appWatch = nil
        server.close(since: "is shutting down")
        let deadline = Self.drainDeadline
        await withTaskGroup { group in
            for supervisor in supervisors.values {
                group.addTask { await supervisor.drain(deadline: deadline) }
            }
        }
    }

    // MARK: - Workers of an earlier napkind

    /// Handles the registration of a worker that has outlived an earlier napkind.
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

    /// Waits until the living workers of an earlier napkind have registered, or their deadline has
    /// passed: until then, their sessions are unknown.
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

    /// Starts the workers of apps that open sessions without a front.
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
                    // The worker was chosen before it was found to be surplus.
                    await end.value
                    continue
                }
                defer { app.opened(number) }
                return try await app.worker(number).admit(session: session, for: open, pid: pid)
            case .refuseUnknown: throw sessions.unknown(name)
            case .refuseFull: throw app.refusal(of: name)
            case .refuseAnotherApp(let owner):
                throw .session(name, belongsTo: owner)
            }
        }
    }

    func supervisor(of app: String) throws(Refusal) -> AppSupervisor {
        if let supervisor = supervisors[app] { return supervisor }
        if let error = broken.first(where: { $0.app == app })?.error {
            throw Refusal(.unknownApp, "the app '\(app)' has a manifest that is refused: \(error)")
        }
        throw sessions.unknown(app: app, among: order, at: now)
    }
}
