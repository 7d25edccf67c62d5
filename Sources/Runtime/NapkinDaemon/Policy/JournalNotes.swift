// JournalNotes: napkind's knowledge of the journals of workers that do not run.
//
// Invariant  only its worker opens a journal: napkind reads the names that the worker has left
//            beside it, or starts the worker.
// Spec       Protocol/LEDGER.md, "Names"

import NapkinCore
import NapkinHost
import NapkinProtocol

/// The stored sessions' places, timers and durability, by the numbers of their workers.
struct JournalNotes: Equatable {
    /// The time for which the wall clock is trusted to keep pace with the loop's clock, since
    /// people may set it. Chosen: a timer is then late by a minute at most.
    private static let alarmMax: Int64 = 60_000

    /// The workers whose journals contain, or may contain, sessions.
    private(set) var places: Set<Int> = []
    /// The workers that have died without leaving a list of their journal's sessions.
    private(set) var unread: Set<Int> = []
    /// The workers of an earlier napkind that lived when this one began and have not registered.
    private var unheard: Set<Int>
    /// The due time of each journal's first timer, in milliseconds since 1970.
    private var dues: [Int: Int64] = [:]
    /// The durability of each journal, as its worker has reported or written it.
    private(set) var levels: [Int: String] = [:]

    init(unheard: Set<Int> = []) { self.unheard = unheard }

    /// A worker that does not run has a journal.
    ///
    /// - Parameter names: the list of sessions that it left; `nil` if it left none.
    mutating func found(_ number: Int, _ names: StoredNames?) {
        places.insert(number)
        guard let names else {
            unread.insert(number)
            return
        }
        if names.sessions.isEmpty { places.remove(number) }
        dues[number] = names.due
        levels[number] = names.level
    }

    /// These are the journals in a database that this machine has, or had last, and whose workers
    /// do not run.
    mutating func owned(_ numbers: Set<Int>) { (places, unread) = (numbers, numbers) }

    /// A worker has reported its sessions, or some of them.
    mutating func registered(_ register: Register, by number: Int) {
        unheard.remove(number)
        guard !register.continues else { return }
        unread.remove(number)
        if let level = register.durability { levels[number] = level }
        // The worker reports its next timer when it ends.
        dues[number] = nil
    }

    /// Returns the workers of an earlier napkind that have died without registering, once.
    mutating func takeDead(mayRegister: (Int) -> Bool) -> [Int] {
        let dead = unheard.filter { !mayRegister($0) }
        unheard.subtract(dead)
        return dead.sorted()
    }

    /// The journals that may contain a session of any name, known only to their workers. Excludes
    /// the only worker of an app, which starts anyway.
    func hidden(_ isolation: Isolation) -> Set<Int> {
        isolation == .shared ? unread.subtracting([0]) : unread
    }

    /// Returns the time until a timer may be due; `nil` if there is none. Both times are in
    /// milliseconds since 1970.
    func alarm(at now: Int64) -> Duration? {
        dues.values.min().map { .milliseconds(min(max($0 - now, 0), Self.alarmMax)) }
    }

    /// Returns the workers that have a due timer, once.
    mutating func takeDue(at now: Int64) -> [Int] {
        let due = dues.filter { $0.value <= now }.keys.sorted()
        for number in due { dues[number] = nil }
        return due
    }

    /// The worker of a due timer did not start: it is tried again later.
    mutating func startFailed(of number: Int, at now: Int64) {
        if dues[number] == nil { dues[number] = now + Self.alarmMax }
    }

    /// The durability of the sessions that these workers have stored: the lowest, if they differ;
    /// `nil` if no session is stored.
    func durability(of workers: [Int]) -> String? {
        let levels = workers.compactMap { self.levels[$0] }
        return levels.first { $0 != Durability.machine.rawValue } ?? levels.first
    }
}
