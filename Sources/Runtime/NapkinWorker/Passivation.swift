// Passivation: removes durable sessions from memory that have been idle for a while.
//
// Ownership  owned by the worker; keeps the tasks in which trees are shut down.
// Invariant  a session loses here only what was never recorded: it returns as it was last recorded.

import Logging
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Checks from time to time which sessions are idle.
@MainActor
final class Passivation {
    /// The shortest time between two checks. Chosen: a check looks at every session.
    private static let intervalMin = Duration.milliseconds(50)

    private weak var worker: WorkerHost?
    private let idleTime: Duration?
    private var timer: LoopTimer?
    /// The idle sessions: since when, in the loop's milliseconds, and their use counts at that
    /// time.
    private var resting: [String: (since: UInt64, uses: UInt64)] = [:]
    private var leaving: [String: Task<Void, Never>] = [:]
    private var hasEnded = false

    init(of worker: WorkerHost, after idleTime: Duration?) {
        self.worker = worker
        self.idleTime = worker.journal == nil ? nil : idleTime
    }

    /// Starts watching after a session has been opened.
    func watch() {
        guard let idleTime, timer == nil, !hasEnded else { return }
        timer = LoopTimer(after: max(idleTime / 4, Self.intervalMin)) { [weak self] in
            self?.timer = nil
            self?.passivateIdle()
        }
    }

    /// Returns when no former tree of that session is left.
    func hasLeft(_ name: String) async { await leaving[name]?.value }

    /// Stops removing sessions, and returns when those under way have left.
    func end() async {
        hasEnded = true
        timer?.cancel()
        for task in leaving.values { await task.value }
    }

    private func passivateIdle() {
        guard let worker, let idleTime, !hasEnded else { return }
        let now = Loop.shared.now
        let former = resting
        resting = [:]
        for (name, session) in worker.sessions where worker.mayLeave(name) {
            let host = session.host
            guard host.isPassive else { continue }
            var rest = (since: now, uses: host.uses)
            if let known = former[name], known.uses == rest.uses { rest.since = known.since }
            if Duration.milliseconds(now - rest.since) >= idleTime {
                leave(name, host, worker)
            } else {
                resting[name] = rest
            }
        }
        if !worker.sessions.isEmpty { watch() }
    }

    private func leave(_ name: String, _ host: SessionHost, _ worker: WorkerHost) {
        worker.sessions[name] = nil
        host.ledger?.passivate()
        worker.onChange([name])
        worker.logger.info("session passivated", metadata: ["session.id": "\(name)"])
        leaving[name] = Task {
            await host.end(Refusal(.sessionEnded, "session '\(name)' has left the memory"))
            leaving[name] = nil
            worker.endedSessions.append(host)
            worker.forgetEnded()
        }
    }
}

extension WorkerHost {
    /// Whether a session may leave memory: the app does not open it at start, its tree has been
    /// launched, and no front is on its way to it.
    fileprivate func mayLeave(_ name: String) -> Bool {
        !opening.contains(name) && !app.sessions.contains { $0.name == name }
            && !arrivals.values.contains { $0.session == name }
    }
}
