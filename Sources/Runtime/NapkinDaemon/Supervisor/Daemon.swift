// Daemon: the supervisor process, with its start, its end, and its answers to fronts and workers.
//
// Ownership  owns the hosted apps, and the objects that answer tools about them.

import Glibc
import Logging
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// napkind itself. Runs no feature code and reads no feature's payload.
@MainActor
final class Daemon: RequestHandler {
    nonisolated static let name = RequestServer.name
    static let drainDeadline = RequestServer.drainDeadline
    /// The time limit for all workers of an earlier napkind to register. Chosen: ten of their
    /// attempts.
    private static let registrationDeadline = WorkerOptions.retryInterval * 10
    /// The time between two checks for workers that have yet to register. Chosen: a tenth of the
    /// time in which they look for napkind.
    private static let registrationInterval = Duration.milliseconds(20)
    /// The time that peers have to read the goodbye of a napkind that hands over. Chosen: one that
    /// takes longer notices the end of its connection.
    private static let goodbyeTime = Duration.seconds(1)

    private let apps: HostedApps
    private let kills: SessionKills
    private let queries: ToolQueries
    /// Ends when the workers of an earlier napkind have registered, or their deadline has passed.
    private var registrations: Task<Void, Never>?
    /// Whether this napkind hands its workers over to its successor.
    private var handsOver = false

    /// - Parameter directories: the directories of manifests.
    init(_ options: HostOptions, directories: [String]) throws(StartError) {
        apps = try HostedApps(options, directories: directories)
        kills = SessionKills(of: apps)
        queries = ToolQueries(apps, kills)
    }

    private var server: RequestServer { apps.server }
    var state: StateDirectory { apps.state }

    // MARK: - Running

    /// Serves until a signal ends it, then drains. Returns the exit code.
    func run() async -> Int32 {
        server.start(self)
        apps.cluster?.start(apps)
        apps.follow()
        if expectsWorkers {
            registrations = Task.immediate {
                await awaitRegistrations()
                apps.startWorkers()
            }
        }
        let code = await server.untilEnded {
            // Not earlier: the ready descriptor may be the output, which a worker inherits.
            if registrations == nil { apps.startWorkers() }
        }
        guard code == EX_OK else { return code }
        await handsOver ? handOver() : drain()
        return code
    }

    private func drain() async {
        server.logger.info("draining")
        apps.stopFollowing()
        apps.cluster?.stop()
        server.close(since: "is shutting down")
        let deadline = Self.drainDeadline
        await withTaskGroup { group in
            for app in apps.supervisors.values {
                group.addTask { await app.drain(deadline: deadline) }
            }
        }
    }

    /// Hands over to the next napkind: workers keep running, and register there.
    private func handOver() async {
        server.logger.info("handing over")
        server.close(since: "is being restarted")
        await server.untilAllHaveLeft(within: Self.goodbyeTime)
    }

    // MARK: - Workers of an earlier napkind

    /// Handles the registration of a worker that has outlived an earlier napkind.
    func registered(_ link: Link, _ register: Register) {
        guard let app = apps.supervisors[register.app] else {
            return link.refuse(
                Refusal(.unknownApp, "this napkind hosts no app \(register.app)"))
        }
        guard let worker = app.worker(of: register) else {
            return link.violate("a register frame with a socket that is not the app's")
        }
        if let objection = worker.objection(to: register) { return link.violate(objection) }
        app.workerReported(register, by: worker.id.number)
        guard !register.continues else { return }
        worker.registered(link, register)
        if app.isStopped { for number in Array(app.workers.keys) { app.end(number) } }
        app.startSessions()
    }

    private var expectsWorkers: Bool { apps.supervisors.values.contains(where: \.expectsWorker) }

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
        let silent = apps.ordered.filter(\.expectsWorker)
        guard !silent.isEmpty else { return }
        for app in silent { app.expectOtherRegistrations() }
        server.logger.warning(
            "workers of an earlier \(Daemon.name) run and have not registered",
            metadata: ["apps": "\(silent.map(\.app.id).joined(separator: " "))"])
    }

    // MARK: - Requests

    /// Finds a front's session; `pid` is the front's process.
    func open(_ open: Open, pid: Int32) async throws(Refusal) -> Redirect {
        if let refusal = open.refusal { throw refusal }
        apps.findUnwatchedApps()
        _ = try apps.supervisor(of: open.app)
        await registrations?.value
        let name = open.session ?? open.app
        if let refusal = kills.refusal(of: name, for: open) { throw refusal }
        let end = ContinuousClock.now + ClusterMember.patience
        while true {
            let app = try apps.supervisor(of: open.app)
            if app.isStopped { throw app.refusal(.stopped) }
            try app.checkFronts()
            let candidates =
                if let cluster = apps.cluster {
                    try await cluster.candidates(for: name, open, of: app)
                } else {
                    await app.candidatesAfterReading(for: name, creates: open.creates)
                }
            switch apps.sessions.opened(open, at: apps.now, among: candidates) {
            case .admit(let session):
                defer { apps.sessions.openEnded(session, at: apps.now) }
                let number = apps.sessions.worker(of: session, at: apps.now)?.number ?? 0
                if let end = app.endings[number] {
                    // The worker was chosen before it was found to be surplus.
                    await end.value
                    continue
                }
                defer { app.opened(number) }
                let worker = app.worker(number)
                do throws(Refusal) {
                    var redirect = try await worker.admit(session: session, for: open, pid: pid)
                    redirect.machines = apps.cluster?.addresses
                    return redirect
                } catch {
                    // Another machine was faster: the database says which.
                    guard worker.hasYielded, ContinuousClock.now < end else {
                        guard let cluster = apps.cluster, cluster.failure != nil else {
                            throw error
                        }
                        // Another machine may still reach the database.
                        throw Refusal(
                            error.code, error.message, machine: cluster.addresses?.first)
                    }
                    await LoopTimer.wait(ClusterMember.pause)
                }
            case .refuseUnknown: throw apps.sessions.unknown(name)
            case .refuseFull: throw app.refusal(of: name)
            case .refuseAnotherApp(let owner): throw .session(name, belongsTo: owner)
            }
        }
    }

    /// Returns the encoded answer to a tool's query, or the first piece of it.
    func answer(_ query: Query) async throws(Refusal) -> AnswerPiece {
        if let refusal = query.refusal { throw refusal }
        await registrations?.value
        guard case .control(Self.name, let action, _) = query else {
            if let session = query.session { try await apps.cluster?.learn(of: session) }
            return try await queries.answer(query)
        }
        if action == .drain {
            guard let cluster = apps.cluster else { throw .noCluster }
            return try AnswerPiece(answer: try await cluster.drain())
        }
        guard [.restart, .upgrade].contains(action) else { throw .onlyRestarted }
        handsOver = true
        // Send the answer first.
        _ = LoopTimer(after: .zero) { [weak self] in self?.server.end() }
        return try AnswerPiece(answer: ControlOutcome(.done))
    }
}
