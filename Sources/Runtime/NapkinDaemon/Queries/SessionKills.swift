// SessionKills: ends sessions on demand, even if their worker does not answer.
//
// Ownership  owned by the daemon.
// Spec       Protocol/TOOLS.md, section 3 (Apps)

import NapkinHost
import NapkinProtocol
import NapkinTransport

/// The sessions that are being ended, and those that were ended by force.
@MainActor
final class SessionKills {
    /// The time limit for the end of a session. Chosen: its handlers and bound tasks have 7 s, and
    /// the disk may be busy.
    private static let patience = Duration.seconds(20)
    /// The time that a session may take to end before its process is killed. Chosen: a person who
    /// forces it does not want to wait.
    private static let forcePatience = Duration.seconds(2)

    private let apps: HostedApps
    /// Sessions whose worker was killed to end them, and until when their fronts learn of it.
    private var endedByForce: [String: UInt64] = [:]
    /// The workers that have been asked to end a session, by session name.
    private var asked: [String: [WorkerID]] = [:]

    init(of apps: HostedApps) { self.apps = apps }

    /// Returns the sessions that the worker was told to end, and may still hold.
    func ending(in worker: WorkerID) -> [String] {
        asked.filter { $0.value.contains(worker) }.map(\.key)
    }

    /// Returns the refusal for a front that returns to a session whose process was killed to end
    /// it; `nil` for a front that was not attached to that session.
    func refusal(of session: String, for open: Open) -> Refusal? {
        guard let until = endedByForce[session] else { return nil }
        if open.epoch == nil || until <= apps.now {
            endedByForce[session] = nil
            return nil
        }
        return Refusal(
            .sessionEnded, "session '\(session)' was ended by `napkin-client kill --force`")
    }

    /// Ends a session.
    ///
    /// - Parameter force: whether to kill its process if it does not end, and is alone there.
    func kill(_ session: String, byForce force: Bool) async throws(Refusal) -> AnswerPiece {
        // Only a worker that was told to end it, and has not answered, may still know it.
        if force, let id = asked[session]?.last,
            let worker = apps.supervisors[id.app]?.workers[id.number]
        {
            return try await kill(session, byForceOf: worker)
        }
        let worker = try await apps.awakenedOwner(of: session)
        return force
            ? try await kill(session, byForceOf: worker)
            : try await kill(session, ofAnswering: worker)
    }

    private func kill(
        _ session: String, of worker: WorkerSupervisor, within patience: Duration
    ) async throws(Refusal) -> AnswerPiece {
        _ = apps.sessions.killed(session, at: apps.now)
        worker.openRequests += 1
        asked[session, default: []].append(worker.id)
        defer {
            worker.openRequests -= 1
            if let index = asked[session]?.firstIndex(of: worker.id) {
                asked[session]?.remove(at: index)
            }
            if asked[session]?.isEmpty == true { asked[session] = nil }
            worker.owner.retireIfUnused(worker.id.number)
        }
        do throws(Refusal) {
            let answer = try await worker.query(.kill(session: session), within: patience)
            apps.sessions.killAnswered(session, by: worker.id, at: apps.now)
            return try answer.or(false)
        } catch {
            if worker.isRegistered { apps.sessions.killFailed(session, by: worker.id) }
            throw error
        }
    }

    /// Ends a session. If the worker's loop does not answer, says so soon; the session then ends
    /// when the loop continues.
    private func kill(
        _ session: String, ofAnswering worker: WorkerSupervisor
    ) async throws(Refusal) -> AnswerPiece {
        let answer: Result<AnswerPiece, Refusal> = await withCheckedContinuation { continuation in
            var waiter: CheckedContinuation<Result<AnswerPiece, Refusal>, Never>? = continuation
            let timer = LoopTimer(after: .zero, repeating: .seconds(1)) {
                let seconds = worker.silence.components.seconds
                guard seconds >= Self.forcePatience.components.seconds else { return }
                let silence = Refusal(
                    .workerUnavailable,
                    "the worker of session '\(session)' (pid \(worker.pid ?? 0)) has not answered "
                        + "for \(seconds) s: the session ends if it goes on; `napkin-client kill "
                        + "\(session) --force` ends its process, if no other session is in it")
                waiter.take()?.resume(returning: .failure(silence))
            }
            Task.immediate {
                let answer: Result<AnswerPiece, Refusal>
                do throws(Refusal) {
                    answer = .success(try await kill(session, of: worker, within: Self.patience))
                } catch {
                    answer = .failure(error)
                }
                timer.cancel()
                waiter.take()?.resume(returning: answer)
            }
        }
        return try answer.get()
    }

    /// Ends a session whose worker may not answer. Asks the worker first.
    private func kill(
        _ session: String, byForceOf worker: WorkerSupervisor
    ) async throws(Refusal) -> AnswerPiece {
        let app = worker.owner
        let isBeingKilled = asked[session] != nil
        do throws(Refusal) {
            let answer = try await kill(session, of: worker, within: Self.forcePatience)
            // The worker may have forgotten a session that it was told to end, and that still runs.
            let hasEnded = answer.bytes.withUnsafeBytes { $0.decoded(Bool.self) }
            if !isBeingKilled || hasEnded == true || asked[session] == nil { return answer }
            throw Refusal(.workerUnavailable, "session '\(session)' has not ended")
        } catch {
            guard error.code == .workerUnavailable else { throw error }
            // Others may have been opened meanwhile.
            let others = apps.sessions.ending(with: worker.id).count { $0 != session }
            guard others == 0 else {
                let pid = worker.pid.map { " (pid \($0))" } ?? ""
                throw Refusal(
                    .workerUnavailable,
                    "session '\(session)' has not ended within "
                        + "\(Self.forcePatience.components.seconds) s, and its process\(pid) has "
                        + "\(others) other sessions, which would end with it: "
                        + "`napkin-client restart \(app.app.id) --force` ends them all")
            }
            endedByForce = endedByForce.filter { $0.value > apps.now }
            endedByForce[session] = apps.now + UInt64(Limits.nameReservationSeconds) * 1000
            await app.end(worker.id.number, within: .zero)?.value
            if app.app.isolation == .shared, !app.isStopped, !app.isWithdrawn { _ = app.worker(0) }
            app.startSessions()
            return try AnswerPiece(answer: true)
        }
    }
}
