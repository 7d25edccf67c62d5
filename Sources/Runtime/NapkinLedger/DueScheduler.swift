// DueScheduler: knows when a journal's sessions have timers or jobs due, and runs them.
//
// Ownership  owned by its journal; keeps the ledgers of the sessions that have a tree.
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCore
import NapkinTransport

/// Makes the sessions run their timers and jobs when these are due, and asks for the sessions that
/// have no tree.
@MainActor
package final class DueScheduler {
    /// The longest time between two checks of the wall clock, which may be set at any time.
    private static let checkInterval: Int64 = 60_000
    /// Sessions restored together for due timers or jobs. Chosen: fronts get their turn.
    private static let wakingMax = 16
    /// The number of jobs performed at the same time, over all sessions. Chosen: most of them wait.
    static let jobsMax = 64

    /// The time of day, in milliseconds since 1970. Tests replace it, and call `runDue()`.
    package var clock: @MainActor () -> Int64 = { Int64(WallClock.machine.unixTime * 1000) }
    /// Called with a session that has no tree and has something due. Call `woken` afterwards.
    package var onDue: (@MainActor (String) -> Void)?
    /// Whether there is no room to record anything.
    var hasNoRoom = false

    /// The due times, including those of inputs under way, which would be due again after a death.
    private var stored = DueTable()
    /// The times at which to check each session.
    private var checks = DueTable()
    private var ledgers: [String: SessionLedger] = [:]
    private var waking: Set<String> = []
    private var waitingToWake: [String] = []
    private var runningJobs = 0
    /// The sessions that wait for the end of another's job.
    private var waitingForJobs: Set<String> = []
    /// Ends when the newest suspect handler has begun.
    private var suspect: Task<Void, Never>?
    private var timer: LoopTimer?
    private var armed: Int64?
    /// The time of the newest check.
    private var lastCheck: Int64?
    private var isStopped = false
    private var isWaiting = false

    /// Unix milliseconds of the earliest timer or attempt of any stored session; `nil` if there is
    /// none.
    package var earliest: Int64? { stored.earliest() }
    /// Whether all stored sessions are known.
    private var isComplete = false
    /// `earliest` as a commit stores it: 0 for none, `nil` while sessions are unknown.
    var known: UInt64? { isComplete ? earliest.storedDue : nil }

    // MARK: - Sessions

    /// Notes the due time of a stored session without a tree.
    func found(_ name: String, _ due: Int64?) {
        if ledgers[name] == nil { set(name, due: due, check: due) }
    }

    /// Updates the times of a session with a tree.
    ///
    /// - Parameters:
    ///   - due: when its next timer or job is due.
    ///   - check: when to check it.
    func changed(_ ledger: SessionLedger, due: Int64?, check: Int64?) {
        let name = ledger.image.title.name
        ledgers[name] = ledger
        set(name, due: due, check: check)
    }

    private func set(_ name: String, due: Int64?, check: Int64?) {
        stored.set(name, due)
        checks.set(name, check)
        arm()
    }

    /// Handles the end of a session's tree; its stored timers and jobs stay due.
    func closed(_ ledger: SessionLedger) {
        let name = ledger.image.title.name
        if ledgers[name] === ledger { ledgers[name] = nil }
        waitingForJobs.remove(name)
    }

    func renamed(_ name: String, to newName: String) {
        ledgers[newName] = ledgers.removeValue(forKey: name)
        stored.set(newName, stored.due(name))
        checks.set(newName, checks.due(name))
        if waitingForJobs.contains(name) { waitingForJobs.insert(newName) }
        forget(name)
    }

    /// Forgets a session that has ended.
    func forget(_ name: String) {
        ledgers[name] = nil
        stored.set(name, nil)
        checks.set(name, nil)
        waitingForJobs.remove(name)
        waitingToWake.removeAll { $0 == name }
    }

    /// Handles the result of `onDue`: the session has its tree, or it cannot be restored and is not
    /// asked for again.
    package func woken(_ name: String, isThere: Bool) {
        waking.remove(name)
        if !isThere, ledgers[name] == nil { forget(name) }
        wake()
    }

    /// Begins only when `turn` returns.
    package func begin(after turn: @escaping @MainActor () async -> Void) {
        isWaiting = true
        Task {
            await turn()
            isWaiting = false
            runDue()
        }
    }

    /// Stops, because the worker ends.
    package func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    // MARK: - Running what is due

    /// Runs the sessions' due timers and jobs.
    package func runDue() {
        timer?.cancel()
        timer = nil
        armed = nil
        guard !isStopped, !isWaiting else { return }
        if !hasNoRoom {
            let now = clock()
            if let lastCheck, now < lastCheck {
                for ledger in ledgers.values { ledger.inputs.alignCalendars(at: now) }
            }
            lastCheck = now
            for name in checks.take(upTo: now) {
                if let ledger = ledgers[name] {
                    ledger.inputs.runDue(at: now)
                } else {
                    waitingToWake.append(name)
                }
            }
            wake()
        }
        arm()
    }

    private func wake() {
        while waking.count < Self.wakingMax, !waitingToWake.isEmpty, let onDue {
            let name = waitingToWake.removeFirst()
            // A front may have restored it.
            if let ledger = ledgers[name] {
                ledger.inputs.dueChanged()
            } else if waking.insert(name).inserted {
                onDue(name)
            }
        }
    }

    private func arm() {
        guard !isStopped, let earliest = checks.earliest() else { return }
        let now = clock()
        // While there is no room, nothing runs: one check a second is enough.
        let least: Int64 = hasNoRoom ? 1000 : 0
        let wait = min(max(earliest.minus(now), least), Self.checkInterval)
        let time = now.plus(wait)
        if let armed, armed <= time, timer != nil { return }
        timer?.cancel()
        armed = time
        timer = LoopTimer(after: .milliseconds(wait)) { [weak self] in self?.runDue() }
    }

    /// Begins a handler in which the former worker may have died, after all earlier handlers of
    /// that kind: only the part before its first suspension could end this worker as well.
    package func begin(suspect begins: @escaping @MainActor () async -> Void) async {
        let former = suspect
        let task = Task {
            await former?.value
            await begins()
        }
        suspect = task
        await task.value
    }

    // MARK: - Jobs

    /// Takes a job slot, if one is free.
    func takeJob(for ledger: SessionLedger) -> Bool {
        guard hasRoomForJobs(of: ledger) else { return false }
        runningJobs += 1
        return true
    }

    /// Whether a job may be performed. If none may, the session is checked again when a slot is
    /// free.
    func hasRoomForJobs(of ledger: SessionLedger) -> Bool {
        if runningJobs < Self.jobsMax { return true }
        waitingForJobs.insert(ledger.image.title.name)
        return false
    }

    /// Whether the session is to be checked when a slot is free.
    func awaitsRoom(_ ledger: SessionLedger) -> Bool {
        waitingForJobs.contains(ledger.image.title.name)
    }

    func jobEnded() {
        runningJobs -= 1
        let waiting = waitingForJobs
        waitingForJobs = []
        for name in waiting { ledgers[name]?.inputs.dueChanged() }
    }
}

extension DueScheduler {
    /// Reads the due times of a journal's stored sessions.
    package func find(in journal: Journal) async {
        defer { isComplete = true }
        guard !journal.sessions.isEmpty else { return }
        let store = journal.store
        // Due times missing there are read from the images.
        let dueTimes = (try? await journal.onStore { try store.dueTimes() }) ?? []
        let known = Dictionary(dueTimes.map { ($0.session, $0.due) }) { $1 }
        var unknown: [String] = []
        for name in journal.sessions.names {
            guard let session = journal.sessions[name], journal.tails[session] == nil else {
                continue
            }
            if let image = journal.found.unwritten[session] {
                found(name, DueImage(image).earliest())
            } else if let due = known[session] {
                found(name, due)
            } else {
                unknown.append(name)
            }
        }
        for (count, name) in unknown.enumerated() {
            if count % 32 == 31 { await Task.yield() }
            do {
                guard let bytes = try await journal.imageBytes(named: name) else { continue }
                found(name, try DueImage(decoding: bytes).earliest())
            } catch {
                // Restoring the session reports the damage.
                continue
            }
        }
    }
}
