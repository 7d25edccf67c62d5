// AppSupervisor+Journals: which sessions are stored by workers that do not run.
//
// Invariant  a journal is opened by its worker alone: napkind reads what the worker has left
//            beside it, or starts the worker.
// Spec       Protocol/LEDGER.md, "Names"

import Glibc
import Logging
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// What is known of an app's journals whose workers do not run.
struct JournalNotes {
    /// The workers whose journals have or may have sessions.
    var places: Set<Int> = []
    /// The workers of an earlier napkind that lived when this one began, and have not registered.
    var unheard: Set<Int> = []
    /// The workers that have died, and left nothing written of what their journals have.
    var unread: Set<Int> = []
    /// When the first timer of each is due, in milliseconds since 1970.
    var dues: [Int: Int64] = [:]
    /// What survives of each, as its worker has said or left written.
    var levels: [Int: String] = [:]
    /// Starts the worker whose timer is due first.
    var alarm: LoopTimer?
    var reading: Task<Void, Never>?
}

extension AppSupervisor {
    /// Workers that are started at the same time to tell of their journals. Chosen.
    private static let readTogether = 4
    /// The time between two looks at the locks of workers that do not register. Chosen.
    private static let lookInterval = Duration.seconds(1)
    /// How long the clock of the day is trusted to go as the loop's: it may be set. Chosen.
    private static let alarmMax: Int64 = 60_000

    /// The journals that may have a session of any name, and of which only their workers can tell.
    /// The only worker of an app starts anyway.
    var hiddenJournals: Set<Int> {
        app.isolation == .shared ? journals.unread.subtracting([0]) : journals.unread
    }

    /// Whether the number is nobody's: there is no worker of it, and no session in its journal.
    func isFree(_ number: Int) -> Bool {
        workers[number] == nil && !journals.unread.contains(number)
            && daemon?.sessions.stored(by: id(number)).isEmpty ?? true
    }

    /// A worker has ended, or had when this napkind began: its journal may have sessions.
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

    /// Learns of the workers of an earlier napkind that have died without having registered.
    func learnOfDead() {
        for number in journals.unheard where workers[number]?.mayRegister != true {
            journals.unheard.remove(number)
            learn(number)
            retireIfUnused(number)
        }
    }

    /// Looks for them as long as there may be some: a timer of theirs may be due.
    func lookForDead() {
        _ = LoopTimer(after: Self.lookInterval) { [weak self] in
            guard let self else { return }
            Task { await self.readJournals() }
            if expectsWorker { lookForDead() }
        }
    }

    /// A worker has told of itself and its sessions.
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
        // Its last session may be in its journal only.
        if workers[number]?.isRegistered == true { retireIfUnused(number) }
    }

    /// Starts the workers of which nobody knows what they have stored; returns when they have told,
    /// or cannot.
    func readJournals() async {
        learnOfDead()
        if let reading = journals.reading { return await reading.value }
        guard !journals.unread.isEmpty, !isStopped, !isDraining, !isWithdrawn else { return }
        let reading = Task { await readUnread() }
        journals.reading = reading
        await reading.value
        journals.reading = nil
    }

    /// Returns the numbers of the workers of which one may have a session of that name; empty if it
    /// has one, or none may.
    ///
    /// - Parameter creates: whether there may be a new one: then only those journals are read
    ///   without which it may get a name that is taken.
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

    /// Starts the workers with a timer that is due.
    private func startDue() {
        guard !isStopped, !isDraining, !isWithdrawn else { return }
        let now = Self.now
        for (number, due) in journals.dues where due <= now {
            // Its next one is told when it ends.
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

    /// What durable states survive; `nil` while no session is stored. The least of it, where the
    /// journals of several workers differ.
    var durability: String? {
        let levels = daemon?.sessions.storing(app.id).compactMap { journals.levels[$0.number] }
        return levels?.first { $0 != Durability.machine.rawValue } ?? levels?.first
    }

    /// Returns the sessions that are stored and not in memory: a worker's, or all. Of a worker that
    /// does not answer, also those that it holds.
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
