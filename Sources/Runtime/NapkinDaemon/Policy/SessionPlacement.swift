// SessionPlacement: decides which of an app's workers may take a new session.
//
// Invariant  a session never gets a name that a session unknown to napkind may have.
// Spec       Protocol/MANIFEST.md, sections 4 (Isolation) and 5 (Limits)

import NapkinProtocol

/// The facts about an app that decide where a session is placed.
struct SessionPlacement {
    /// The reason why no worker may take a new session.
    enum Obstacle: Error, Hashable {
        case draining
        case stopped
        /// This worker of an earlier napkind has not yet reported its sessions.
        case unknownWorker(Int)
        /// Only this worker, which does not run, knows the contents of its journal.
        case unreadJournal(Int)
        /// The manifest is gone.
        case withdrawn
        /// Each of `Isolation.sessionsMax` sessions has a process.
        case noNumber
        /// The app has that many sessions, and its limit allows no more.
        case limit(count: Int, most: Int)
    }

    let isolation: Isolation
    var isDraining = false
    var isStopped = false
    /// A worker whose sessions are unknown.
    var unknownWorker: Int?
    /// A journal whose sessions are unknown.
    var unreadJournal: Int?
    /// The workers that are left of an app whose manifest is gone: only they may take sessions.
    var remaining: Set<Int>?
    /// The number of the app's sessions, including those in its manifest, and the limit; `nil` if
    /// no limit applies to the new session.
    var limit: (count: Int, most: Int)?

    /// Returns the numbers of the workers that may take the session.
    ///
    /// - Parameter isFree: whether nothing has that number yet.
    func candidates(isFree: (Int) -> Bool) throws(Obstacle) -> [Int] {
        if let limit, limit.count >= limit.most {
            throw .limit(count: limit.count, most: limit.most)
        }
        if isDraining { throw .draining }
        if isStopped { throw .stopped }
        if let unknownWorker { throw .unknownWorker(unknownWorker) }
        if let unreadJournal { throw .unreadJournal(unreadJournal) }
        let free = isolation == .session ? (1...Isolation.sessionsMax).first(where: isFree) : nil
        let numbers = free.map { [$0] } ?? isolation.keptWorkers
        if let remaining {
            let left = numbers.filter(remaining.contains)
            if left.isEmpty { throw .withdrawn }
            return left
        }
        if numbers.isEmpty { throw .noNumber }
        return numbers
    }
}

extension Isolation {
    /// The numbers of the workers that are kept without a session.
    var keptWorkers: [Int] {
        switch self {
        case .shared: [0]
        case .workers(let count): Array(1...count)
        case .session: []
        }
    }
}
