// Dues: when the sessions of a journal have something to do by themselves, and who does it.
//
// Ownership  owned by its journal; keeps the ledgers of the sessions that have a tree.
// Spec       Protocol/LEDGER.md, Timers and jobs

import Glibc
import NapkinCore
import NapkinTransport

/// Has the sessions run their timers and jobs when these are due, and asks for the sessions that
/// have no tree.
@MainActor
package final class Dues {
    /// The clock for the time of day may be set at any time: it is looked at so often at least.
    private static let lookInterval: Int64 = 60_000
    /// Sessions that are restored at a time because something of theirs is due. Chosen.
    private static let wakingMax = 16
    /// Jobs that are performed at a time, in all sessions. Chosen.
    static let jobsMax = 64

    /// The time of day, in milliseconds since 1970. Tests replace it, and call `look()`.
    package var clock: @MainActor () -> Int64 = Dues.timeOfDay
    /// Asks for a session that has no tree and something to do. Afterwards `woken` is called.
    package var onDue: (@MainActor (String) -> Void)?
    /// Whether there is no room to record anything.
    var isHeldUp = false

    /// When something is due, also of what is under way: it would be due again after a death.
    private var stored = DueTable()
    /// When the session is to be looked at.
    private var looks = DueTable()
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
    private var isStopped = false

    /// Unix milliseconds of the earliest timer or attempt of any stored session; `nil` if there is
    /// none.
    package var earliest: Int64? { stored.earliest() }

    // MARK: - Sessions

    /// A stored session, whose tree is not there, has something to do at that time.
    func found(_ name: String, _ due: Int64?) {
        guard ledgers[name] == nil else { return }
        stored.set(name, due)
        looks.set(name, due)
        arm()
    }

    /// What a session with a tree has to do has changed.
    ///
    /// - Parameters:
    ///   - due: when something is due.
    ///   - look: when it is to be looked at.
    func changed(_ ledger: SessionLedger, due: Int64?, look: Int64?) {
        let name = ledger.image.title.name
        ledgers[name] = ledger
        stored.set(name, due)
        looks.set(name, look)
        arm()
    }

    /// The session's tree is gone; what is stored of it stays due.
    func closed(_ ledger: SessionLedger) {
        let name = ledger.image.title.name
        if ledgers[name] === ledger { ledgers[name] = nil }
        waitingForJobs.remove(name)
    }

    func renamed(_ name: String, to newName: String) {
        ledgers[newName] = ledgers.removeValue(forKey: name)
        stored.set(newName, stored.due(name))
        looks.set(newName, looks.due(name))
        forget(name)
    }

    /// The session has ended.
    func forget(_ name: String) {
        ledgers[name] = nil
        stored.set(name, nil)
        looks.set(name, nil)
        waitingForJobs.remove(name)
        waitingToWake.removeAll { $0 == name }
    }

    /// A session for which `onDue` has asked has its tree, or cannot be restored. In that case it
    /// is not asked for again.
    package func woken(_ name: String, isThere: Bool) {
        waking.remove(name)
        if !isThere, ledgers[name] == nil { forget(name) }
        wake()
    }

    /// Looks no more: the worker ends.
    package func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    // MARK: - Looking

    /// Runs what is due.
    package func look() {
        timer?.cancel()
        timer = nil
        armed = nil
        guard !isStopped else { return }
        if !isHeldUp {
            let now = clock()
            for name in looks.take(upTo: now) {
                if let ledger = ledgers[name] {
                    ledger.inputs.look(at: now)
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
            // Somebody else may have restored it.
            if let ledger = ledgers[name] {
                ledger.inputs.dueChanged()
            } else if waking.insert(name).inserted {
                onDue(name)
            }
        }
    }

    private func arm() {
        guard !isStopped, let earliest = looks.earliest() else { return }
        let now = clock()
        // A full disk is not waited for in a hurry.
        let least: Int64 = isHeldUp ? 1000 : 0
        let wait = min(max(earliest.minus(now), least), Self.lookInterval)
        let time = now.plus(wait)
        if let armed, armed <= time, timer != nil { return }
        timer?.cancel()
        armed = time
        timer = LoopTimer(after: .milliseconds(wait)) { [weak self] in self?.look() }
    }

    /// Begins a handler in which the former worker may have ended, after all others of that kind:
    /// only what runs until its first wait can be the end of this worker, too.
    package func begin(suspect begins: @escaping @MainActor () async -> Void) async {
        let former = suspect
        let task = Task {
            await former?.value
            await begins()
        }
        suspect = task
        await task.value
    }

    private static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    // MARK: - Jobs

    /// Takes the right to perform a job. Without one the session is looked at again when there is.
    func takeJob(for ledger: SessionLedger) -> Bool {
        guard runningJobs < Self.jobsMax else {
            waitingForJobs.insert(ledger.image.title.name)
            return false
        }
        runningJobs += 1
        return true
    }

    /// Whether a job may be performed.
    var hasRoomForJobs: Bool { runningJobs < Self.jobsMax }

    func jobEnded() {
        runningJobs -= 1
        let waiting = waitingForJobs
        waitingForJobs = []
        for name in waiting { ledgers[name]?.inputs.dueChanged() }
    }
}

extension Dues {
    /// Finds out when the stored sessions of a journal have something to do.
    package func find(in journal: Journal) async {
        guard !journal.isEmpty else { return }
        let store = journal.store
        // What is not known so, the images say.
        let dues = (try? await journal.onStore { try store.dues() }) ?? []
        let known = Dictionary(dues.map { ($0.session, $0.due) }) { $1 }
        var unknown: [String] = []
        for (name, session) in journal.stored.mapValues(\.session)
        where journal.tails[session] == nil {
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
                // Restoring it says what is wrong with it.
                continue
            }
        }
    }
}
