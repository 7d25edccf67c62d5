// RunTable: which run may start, and what the end of one means for the others.
//
// Layer      feature. No processes, clocks or tasks here.
// Invariant  a queue has no more active runs than it is wide; a run waits only for smaller numbers.

import DeskContract
import NapkinCore

/// A run, and what its next attempt needs.
@Message
struct RunEntry: Hashable {
    var run: Run
    /// Names its programs: another run that once had its number has another one.
    var token: String
    /// The number of its environment.
    var environment: Int

    /// The key of the program of this attempt.
    var key: String { "\(run.id)-\(run.attempt)-\(token)" }
}

/// The runs of a session, in the order of their numbers.
@Message
struct RunTable: Equatable {
    /// Runs that are remembered; the oldest that have ended are forgotten. Chosen: a month's.
    static let runsMax = 1000
    /// Runs of a queue that are active at a time. Chosen: more than a machine has use for.
    static let widthMax = 256
    static let queuesMax = 256

    var entries: [RunEntry] = []
    var widths: [String: Int] = [:]
    /// The environments of the runs: most have that of a few shells.
    var environments: [RunEnvironment] = []
    /// The number of the newest run.
    var newest: Int = 0

    var runs: [Run] { entries.map(\.run) }

    /// When the next run starts by itself.
    var due: Double? { entries.compactMap(\.run.next).min() }

    func entry(_ id: Int) throws(DeskError) -> RunEntry {
        guard let entry = known(id) else { throw .unknown("\(id)") }
        return entry
    }

    /// Returns the run of this number, unless it has been forgotten.
    func known(_ id: Int) -> RunEntry? { entries.first { $0.run.id == id } }

    /// Returns the run of this number or name, the newest of that name.
    func id(_ word: String) throws(DeskError) -> Int {
        guard let id = try ids(word).last else { throw .unknown(word) }
        return id
    }

    /// Returns the runs that a word names: one by its number or name, or a group. A name is that of
    /// the newest with which this can be done: a schedule has the name of the runs that it starts.
    func ids(_ word: String, for verb: Verb? = nil) throws(DeskError) -> [Int] {
        if let id = Int(word) { return [try entry(id).run.id] }
        let group = runs.filter { $0.order.group == word }
        if !group.isEmpty { return group.map(\.id) }
        let named = runs.filter { $0.order.name == word }
        let suited = named.last { run in verb.map(run.suits) ?? true }
        guard let run = suited ?? named.last else { throw .unknown(word) }
        return [run.id]
    }

    func variables(of entry: RunEntry) -> [String: String] {
        environments.first { $0.id == entry.environment }?.variables ?? [:]
    }

    // MARK: - Changes

    mutating func accept(
        _ order: Order, _ variables: [String: String], token: String, at now: Double
    ) throws(DeskError) -> Run {
        try order.check()
        for id in order.after { _ = try entry(id) }
        var run = Run(id: newest + 1, order: order)
        run.next = try order.firing(after: now)
        try makeRoom(besides: order.after)
        newest += 1
        entries.append(RunEntry(run: run, token: token, environment: number(of: variables)))
        skip()
        return run
    }

    /// Starts what may start.
    mutating func start() {
        let states = states
        var busy: [String: Int] = [:]
        for entry in entries where entry.run.isActive {
            if let queue = entry.run.order.queue { busy[queue, default: 0] += 1 }
        }
        for index in entries.indices where entries[index].run.state == .waiting {
            let run = entries[index].run
            guard run.next == nil, run.order.after.allSatisfy({ states[$0] == .succeeded }) else {
                continue
            }
            if let queue = run.order.queue {
                guard busy[queue, default: 0] < widths[queue] ?? 1 else { continue }
                busy[queue, default: 0] += 1
            }
            entries[index].run.begin()
        }
    }

    /// The time has come for some.
    mutating func pass(to now: Double) {
        for entry in entries {
            guard let next = entry.run.next, next <= now else { continue }
            var (id, order) = (entry.run.id, entry.run.order)
            // The wait for another attempt cannot be missed.
            let times = entry.run.failures > 0 ? [next] : order.times(from: next, to: now)
            change(id) { $0.next = nil }
            guard order.every != nil else {
                if times.isEmpty { change(id) { ($0.state, $0.ended) = (.skipped, now) } }
                continue
            }
            // It was read when the run was accepted.
            change(id) { $0.next = try? order.firing(after: max(next, now)) }
            order.every = nil
            for _ in times {
                // Without room, this time is left out.
                _ = try? accept(order, variables(of: entry), token: "\(entry.token)\(id)", at: now)
            }
        }
        skip()
    }

    /// The program of an attempt has ended so.
    mutating func end(_ end: Run, at now: Double) {
        guard let former = known(end.id)?.run, former.attempt == end.attempt, former.isActive
        else { return }
        var run = end
        // Its size may have changed meanwhile.
        run.order = former.order
        run.state = former.state == .ending ? .killed : end.state
        run.ended = now
        if run.state == .failed, former.failures < run.order.retries {
            // They were read when the run was accepted.
            let waits = (try? run.order.waits) ?? 1...1
            let doubled = waits.lowerBound * Double(1 << min(former.failures, 30))
            run.next = now + min(doubled, waits.upperBound)
            run.state = .waiting
            run.ended = nil
            run.failures = former.failures + 1
        }
        change(run.id) { $0 = run }
        skip()
    }

    mutating func act(_ verb: Verb, on id: Int, at now: Double) throws(DeskError) {
        let run = try entry(id).run
        guard run.suits(verb) else { throw .notNow(id, run.state) }
        switch verb {
        case .kill where run.state == .waiting:
            change(id) {
                ($0.next, $0.ended) = (nil, now)
                $0.state = .killed
            }
        case .kill: change(id) { $0.state = .ending }
        case .pause: change(id) { $0.state = .paused }
        case .resume: change(id) { $0.state = .running }
        case .again: try again(run, at: now)
        case .remove: entries.removeAll { $0.run.id == id }
        }
        skip()
    }

    /// Its terminal has this size, for its next attempt and the next worker as well.
    mutating func resize(_ id: Int, rows: Int, columns: Int) {
        let sides = 1...Order.sideMax
        guard sides ~= rows, sides ~= columns else { return }
        change(id) { ($0.order.rows, $0.order.columns) = (rows, columns) }
    }

    /// Forgets what ended before a time, and that nobody waits for.
    mutating func forget(endedBefore time: Double) {
        let needed = needed
        entries.removeAll { ($0.run.ended ?? time) < time && !needed.contains($0.run.id) }
    }

    private mutating func again(_ run: Run, at now: Double) throws(DeskError) {
        let next = run.order.every == nil ? nil : try run.order.firing(after: now)
        change(run.id) {
            $0 = Run(id: run.id, order: run.order, attempt: run.attempt)
            $0.next = next
        }
        // One of them may put another one back.
        for other in runs where other.state == .skipped && other.order.after.contains(run.id) {
            try again(other, at: now)
        }
    }

    private mutating func change(_ id: Int, _ change: (inout Run) -> Void) {
        guard let index = entries.firstIndex(where: { $0.run.id == id }) else { return }
        change(&entries[index].run)
    }

    private var states: [Int: Run.State] {
        Dictionary(entries.map { ($0.run.id, $0.run.state) }) { $1 }
    }

    /// Skips what can no longer run. One pass is enough: a run waits for smaller numbers only.
    private mutating func skip() {
        var states = states
        for index in entries.indices where entries[index].run.state == .waiting {
            let run = entries[index].run
            // One that has been forgotten had ended, and nobody knows how.
            let isLost = run.order.after.contains { id in
                guard let state = states[id] else { return true }
                return [.failed, .killed, .skipped, .lost].contains(state)
            }
            guard isLost else { continue }
            entries[index].run.state = .skipped
            states[run.id] = .skipped
        }
    }

    /// Forgets the oldest that has ended and that nobody waits for.
    private mutating func makeRoom(besides after: [Int]) throws(DeskError) {
        guard entries.count >= Self.runsMax else { return }
        let needed = needed.union(after)
        guard
            let oldest = entries.firstIndex(where: {
                $0.run.hasEnded && !needed.contains($0.run.id)
            })
        else { throw .tooMany(entries.count) }
        entries.remove(at: oldest)
    }

    /// The runs that others wait for.
    private var needed: Set<Int> {
        Set(entries.filter { !$0.run.hasEnded }.flatMap(\.run.order.after))
    }

    private mutating func number(of variables: [String: String]) -> Int {
        if let known = environments.first(where: { $0.variables == variables }) { return known.id }
        let used = Set(entries.map(\.environment))
        environments.removeAll { !used.contains($0.id) }
        let id = (environments.map(\.id).max() ?? 0) + 1
        environments.append(RunEnvironment(id: id, variables: variables))
        return id
    }
}

/// Variables that some runs have.
@Message
struct RunEnvironment: Equatable {
    var id: Int
    var variables: [String: String]
}

extension Run {
    /// Whether it is in a state in which this makes sense.
    fileprivate func suits(_ verb: Verb) -> Bool {
        switch verb {
        case .kill: !hasEnded
        case .pause: state == .running
        case .resume: state == .paused
        case .again, .remove: hasEnded
        }
    }

    /// Another attempt begins.
    fileprivate mutating func begin() {
        state = .running
        attempt += 1
        (status, seconds, progress, last, ended) = (nil, 0, nil, "", nil)
    }
}
