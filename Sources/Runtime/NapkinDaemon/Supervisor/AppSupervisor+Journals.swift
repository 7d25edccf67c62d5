// AppSupervisor+Journals: learns which sessions are stored by workers that do not run.
//
// Invariant  only its worker opens a journal: napkind reads the names that the worker has left
//            beside it, or starts the worker.
// Spec       Protocol/LEDGER.md, "Names"

import Glibc
import Logging
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// The known facts about an app's journals whose workers do not run.
struct JournalNotes {
    /// The workers whose journals contain, or may contain, sessions.
    var places: Set<Int> = []
    /// The workers of an earlier napkind that lived when this one began and have not registered.
    var unheard: Set<Int> = []
    /// The workers that have died without leaving a list of their journal's sessions.
    var unread: Set<Int> = []
    /// The due time of each journal's first timer, in milliseconds since 1970.
    var dues: [Int: Int64] = [:]
    /// The durability of each journal, as its worker has reported or written it.
    var levels: [Int: String] = [:]
    /// Starts the worker whose timer is due first.
    var alarm: LoopTimer?
    var reading: Task<Void, Never>?
}

extension AppSupervisor {
    /// The number of workers started at the same time to report their journals. Chosen.
    private static let readTogether = 4
    /// The time between two checks of the locks of workers that do not register. Chosen.
    private static let lookInterval = Duration.seconds(1)
    /// How long the wall clock is trusted to keep pace with the loop's: it may be set. Chosen.
    private static let alarmMax: Int64 = 60_000

    /// The journals that may contain a session of any name, known only to their workers. Excludes
    /// the only worker of an app, which starts anyway.
    var hiddenJournals: Set<Int> {
        app.isolation == .shared ? journals.unread.subtracting([0]) : journals.unread
    }

    /// Whether the number is unused: it has no worker, and no session in its journal.
    func isFree(_ number: Int) -> Bool {
        workers[number] == nil && !journals.unread.contains(number)
            && daemon?.sessions.stored(by: id(number)).isEmpty ?? true
    }

    /// Learns of a worker that has ended, or had when this napkind began, and may have sessions.
    func learn(_ number: Int) {
        guard let daemon else { return }
        let journal = daemon.state.journal(of: id(number))
        guard StateDirectory.hasJournal(at: journal) else { return }
        journals.places.insert(number)
        guard let names = StoredNames(of: journal) else {
            journals.unread.insert(number)
            return
        }
        if names.sessions.isEmpty { journals.places.remove(number) }
        for name in daemon.sessions.found(names.sessions.map(\.name), storedBy: id(number)) {
            daemon.logger.warning(
                "a stored session has another's name: end or rename that one, then restart napkind",
                metadata: ["worker": "\(id(number))", "session": "\(name)"])
        }
        journals.dues[number] = names.due
        journals.levels[number] = names.level
        setAlarm()
    }

    /// Learns of workers of an earlier napkind that have died without registering.
    func learnOfDead() {
        for number in journals.unheard where workers[number]?.mayRegister != true {
            journals.unheard.remove(number)
            learn(number)
            retireIfUnused(number)
        }
    }

    /// Keeps looking for such workers while there may be some: one of their timers may be due.
    func lookForDead() {
        _ = LoopTimer(after: Self.lookInterval) { [weak self] in
            guard let self else { return }
            Task { await self.readJournals() }
            if expectsWorker { lookForDead() }
        }
    }

    /// Records a worker's report of itself and its sessions.
    func told(_ register: Register, by number: Int) {
        journals.unheard.remove(number)
        for session in daemon?.sessions.registered(register, by: number) ?? [] {
            daemon?.logger.error(
                "a stored session is not there any more",
                metadata: ["worker": "\(id(number))", "session": "\(session)"])
        }
        guard !register.continues else { return }
        journals.unread.remove(number)
        if let level = register.durability { journals.levels[number] = level }
        if journals.dues.removeValue(forKey: number) != nil { setAlarm() }
        // Its last session may exist only in its journal.
        if workers[number]?.isRegistered == true { retireIfUnused(number) }
    }

    /// Starts the workers whose stored sessions are unknown; returns when they have reported, or
    /// cannot.
    func readJournals() async {
        learnOfDead()
        if let reading = journals.reading { return await reading.value }
        guard !journals.unread.isEmpty, !isStopped, !isDraining, !isWithdrawn else { return }
        let reading = Task { await readUnread() }
        journals.reading = reading
        await reading.value
        journals.reading = nil
    }

    /// Returns the numbers of the workers that may receive a session of that name; empty if the
    /// session exists, or if no worker may have it.
    ///
    /// - Parameter creates: whether the session may be a new one: then only those journals are read
    ///   that are needed to avoid a name that is taken.
    func candidates(for session: String, creates: Bool) async -> [Int] {
        if daemon?.sessions.exists(session) == true { return [] }
        learnOfDead()
        if !creates || !hiddenJournals.isEmpty { await readJournals() }
        return daemon?.sessions.exists(session) == true || isFull(for: session) ? [] : candidates
    }

    private func readUnread() async {
        var numbers = journals.unread.sorted()[...]
        while !numbers.isEmpty, !isStopped, !isDraining, !isWithdrawn {
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

    func setAlarm() {
        journals.alarm?.cancel()
        journals.alarm = nil
        guard let due = journals.dues.values.min(), !isStopped, !isDraining, !isWithdrawn else {
            return
        }
        let rest = due > Self.now ? due - Self.now : 0
        let wait = min(rest, Self.alarmMax)
        journals.alarm = LoopTimer(after: .milliseconds(wait)) { [weak self] in
            self?.startDue()
            self?.setAlarm()
        }
    }

    /// Starts the workers that have a due timer.
    private func startDue() {
        guard !isStopped, !isDraining, !isWithdrawn else { return }
        let now = Self.now
        for (number, due) in journals.dues where due <= now {
            // The worker reports its next one when it ends.
            journals.dues[number] = nil
            let worker = worker(number)
            Task {
                await worker.startUnasked()
                opened(number)
            }
        }
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    // MARK: - Listing

    /// The durability of stored states; `nil` while no session is stored. The lowest, if the
    /// journals of several workers differ.
    var durability: String? {
        let levels = daemon?.sessions.storing(app.id).compactMap { journals.levels[$0.number] }
        return levels?.first { $0 != Durability.machine.rawValue } ?? levels?.first
    }

    /// Returns the sessions that are stored and not in memory, of one worker or of all. For a
    /// worker that does not answer, includes the sessions that it holds.
    ///
    /// - Parameter silence: why it does not.
    func storedSessions(of number: Int?, silence: String? = nil) -> [SessionInfo] {
        guard let daemon else { return [] }
        let ids = number.map { [id($0)] } ?? daemon.sessions.storing(app.id)
        return ids.flatMap { id in
            let ending = daemon.kills.filter { $0.value.contains(id) }.keys
            let held = silence == nil ? [] : Set(daemon.sessions.held(by: id)).union(ending)
            let pid = silence == nil ? nil : workers[id.number]?.pid
            return (daemon.sessions.stored(by: id) + held).map { name in
                var info = SessionInfo(stored: name, app: app.id, pid: pid ?? 0)
                let isStored = daemon.sessions.isStored(name)
                info.durability = isStored ? journals.levels[id.number] : nil
                (info.isStored, info.silence) = (held.contains(name) ? nil : true, silence)
                return info
            }
        }.sorted { $0.session < $1.session }
    }
}
