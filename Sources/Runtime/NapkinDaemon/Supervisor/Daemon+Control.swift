// Daemon+Control: performs tools' requests that change apps, sessions and napkind.
//
// Spec       Protocol/TOOLS.md, section 3 (Apps)

import Glibc
import Logging
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension Daemon {
    /// The time that a session may take to end before its process is killed. Chosen.
    private static let forcePatience = Duration.seconds(2)
    /// The time that peers have to read the goodbye of a napkind that hands over. Chosen.
    private static let goodbyeTime = Duration.seconds(1)

    func control(
        _ app: String, _ action: ControlAction, force: Bool
    ) async throws(Refusal) -> ControlOutcome {
        guard app == Self.name else {
            return try await supervisor(of: app).control(action, force: force)
        }
        guard [.restart, .upgrade].contains(action) else { throw .onlyRestarted }
        handsOver = true
        // Send the answer first.
        _ = LoopTimer(after: .zero) { [weak self] in self?.server.end() }
        return ControlOutcome(.done)
    }

    /// Hands over to the next napkind: workers keep running, and register there.
    func handOver() async {
        logger.info("handing over")
        server.close(since: "is being restarted")
        await server.untilAllHaveLeft(within: Self.goodbyeTime)
    }

    // MARK: - Stopped apps

    /// A file beside the sockets, for the next napkind, and not for a later login session.
    private func mark(of app: String) -> String { "\(server.socket.directory)/\(app).stopped" }

    func isStopped(_ app: String) -> Bool { access(mark(of: app), F_OK) == 0 }

    func unmarkStopped(_ app: String) throws(Refusal) {
        let path = mark(of: app)
        try check(
            unlink(path) == 0 || errno == ENOENT, path,
            "\(app) stays stopped, since it would be for the next napkind")
    }

    func markStopped(_ app: String) throws(Refusal) {
        let path = mark(of: app)
        let descriptor = Glibc.open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try check(
            descriptor >= 0, path, "\(app) goes on, since the next napkind would start it again")
        close(descriptor)
    }

    /// Checks that the marks can be changed, so that a failure leaves everything as it was.
    private func check(
        _ isDone: Bool, _ path: String, _ consequence: String
    ) throws(Refusal) {
        guard !isDone else { return }
        let reason = String(cString: strerror(errno))
        throw Refusal(.overloaded, "\(consequence): \(path) cannot be changed: \(reason)")
    }

    // MARK: - Log levels

    /// The log level that a tool has set for an app, kept for later daemons like the mark above. It
    /// is the target of a link, which is never half written.
    private func levelMark(of app: String) -> String {
        "\(server.socket.directory)/\(app).log-level"
    }

    /// Returns the log level that was set for an app; `nil` if napkind's level applies.
    func changedLevel(of app: String) -> String? {
        var target = [CChar](repeating: 0, count: 16)
        let count = max(0, readlink(levelMark(of: app), &target, target.count))
        let word = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Another process may have written a different word.
        return LogLevel.objection(to: word) == nil ? word : nil
    }

    func keepLevel(_ level: String, of app: String) throws(Refusal) {
        let path = levelMark(of: app)
        let new = path + ".new"
        unlink(new)
        defer { unlink(new) }
        let isKept =
            level == server.options.logLevelName
            ? unlink(path) == 0 || errno == ENOENT
            : symlink(level, new) == 0 && rename(new, path) == 0
        try check(isKept, path, "the level of \(app) stays, since the next napkind would not know")
    }

    // MARK: - Killing

    /// Ends a session. If the worker's loop does not answer, says so soon; the session then ends
    /// when the loop continues.
    func kill(
        _ session: String, ofAnswering worker: WorkerSupervisor
    ) async throws(Refusal) -> AnswerPiece {
        let answer: Result<AnswerPiece, Refusal> = await withCheckedContinuation { continuation in
            var waiter: CheckedContinuation<Result<AnswerPiece, Refusal>, Never>? = continuation
            let look = LoopTimer(after: .zero, repeating: .seconds(1)) {
                let seconds = worker.silence.components.seconds
                guard seconds >= Self.forcePatience.components.seconds else { return }
                let silence = Refusal(
                    .workerUnavailable,
                    "the worker of session '\(session)' (pid \(worker.pid ?? 0)) has not answered "
                        + "for \(seconds) s: the session ends when it does; `napkin-client kill "
                        + "\(session) --force` ends its process, if no other session is in it")
                waiter.take()?.resume(returning: .failure(silence))
            }
            Task.immediate {
                let answer: Result<AnswerPiece, Refusal>
                do throws(Refusal) {
                    answer = .success(
                        try await kill(session, of: worker, within: Self.killPatience))
                } catch {
                    answer = .failure(error)
                }
                look.cancel()
                waiter.take()?.resume(returning: answer)
            }
        }
        return try answer.get()
    }

    /// Ends a session whose worker may not answer. Asks the worker first.
    func kill(_ session: String, byForceOf worker: WorkerSupervisor) async throws(Refusal)
        -> AnswerPiece
    {
        let others = sessions.ending(with: worker.id).count { $0 != session }
        let isBeingKilled = kills[session] != nil
        do throws(Refusal) {
            let answer = try await kill(session, of: worker, within: Self.forcePatience)
            // The worker may have forgotten a session that it was told to end, and that still runs.
            let hasEnded = answer.bytes.withUnsafeBytes { $0.decoded(Bool.self) }
            if !isBeingKilled || hasEnded == true || kills[session] == nil { return answer }
            throw Refusal(.workerUnavailable, "session '\(session)' has not ended")
        } catch {
            guard error.code == .workerUnavailable, let app = supervisors[worker.id.app] else {
                throw error
            }
            guard others == 0 else {
                let pid = worker.pid.map { " (pid \($0))" } ?? ""
                throw Refusal(
                    .workerUnavailable,
                    "session '\(session)' has not ended within "
                        + "\(Self.forcePatience.components.seconds) s, and its process\(pid) has "
                        + "\(others) other sessions, which would end with it: "
                        + "`napkin-client restart \(app.app.id) --force` ends them all")
            }
            await end(session, with: worker, of: app)
            return AnswerPiece(bytes: try Payload(answer: true).bytes)
        }
    }

    private func end(
        _ session: String, with worker: WorkerSupervisor, of app: AppSupervisor
    ) async {
        endedByForce = endedByForce.filter { $0.value > now }
        endedByForce[session] = now + UInt64(Limits.nameReservationSeconds) * 1000
        await app.end(worker.id.number, within: .zero)?.value
        if app.app.isolation == .shared, !app.isStopped, !app.isWithdrawn { _ = app.worker(0) }
        startSessions(of: app)
    }

    /// Returns the refusal for a front that returns to a session whose process was killed to end
    /// it; `nil` for a front that was not attached to that session.
    func endByForce(of session: String, for open: Open) -> Refusal? {
        guard let until = endedByForce[session] else { return nil }
        if open.epoch == nil || until <= now {
            endedByForce[session] = nil
            return nil
        }
        return Refusal(
            .sessionEnded, "session '\(session)' was ended by `napkin-client kill --force`")
    }
}
