// ReachWorld: a database's journals and the machines that own them, with seeded faults in virtual
// time.
//
// Invariant  decides nothing about owners: `OwnerRules` does, as the server's statements do.

import TestSupport

@testable import NapkinLedger

/// Machines, each with as many places as the others at first, and a database.
///
/// What is left out: workers' start, fronts' own lines, sessions, of which owners know nothing, and
/// what one server can do in a second: statements are counted.
struct ReachWorld {
    struct Scope {
        var machines: Int
        var placesEach: Int
        /// How long it runs, in virtual seconds.
        var seconds = 120
        /// The mean time between two faults of a machine, in seconds.
        var faultSeconds = 120
        /// Of a hundred seconds of a place, those in which it commits; in the others it renews.
        var commitPercent = 10
        /// Of a million statements, those whose answer is lost.
        var lossPerMillion = 20
        /// When the database ends, for 2 s, in seconds; `nil` for never.
        var outage: Int?
        /// A mistake that the checks must find.
        var admitsAnyEpoch = false
        var seed: UInt64 = 1
    }

    struct Figures {
        /// Milliseconds from a fault that its place's fronts noticed until another machine, or the
        /// same one again, had the place.
        var takeOvers: [Int] = []
        /// By the second.
        var statements: [Int] = []
        var commits = 0
        /// Commits and renewals of owners that were none any more.
        var refused = 0
        var deaths = 0
        var pauses = 0
        var cuts = 0
        /// What must not happen, the first few.
        var failures: [String] = []
    }

    /// A worker's life on a machine, from its acquisition on.
    private struct Worker {
        let place: Int
        let machine: Int
        let epoch: UInt64
        /// The newest group that it knows of.
        var known: Int
        /// A machine that died and came back has other workers.
        let life: Int
        var hasEnded = false
    }

    private struct Place {
        var owner = OwnerRules()
        /// The newest group that is stored, and the newest one that an owner was told of.
        var newest = 0
        var acknowledged = 0
        /// Since when its fronts wait; -1 if they do not.
        var waitsSince = -1
    }

    private struct Machine {
        let name: String
        /// Stopped, or out of the database's reach, until then.
        var pausedUntil = 0
        var cutUntil = 0
        var deadUntil = 0
        var life = 0
        var workers: [Int] = []
    }

    private enum Event {
        case tick(worker: Int)
        case execute(worker: Int, group: Int?)
        case answer(worker: Int, group: Int?, isDone: Bool)
        /// A front looks for its place, by the machine that it comes to.
        case seek(place: Int, tries: Int)
        case acquire(place: Int, machine: Int, life: Int, tries: Int)
        case fault(machine: Int)
        /// A machine's fronts notice that it is silent.
        case miss(machine: Int, life: Int)
    }

    /// Chosen, as `PostgresStore` and napkind do: a journal is tried each 100 ms for 6 s, and a
    /// front asks for its worker again after a second.
    private static let (retry, tries, pause) = (100, 60, 1000)
    /// What the store asks at an opening and at each try of one.
    private static let (openingStatements, tryStatements) = (12, 3)
    /// What fronts need to notice that nothing comes. Chosen.
    private static let notice = 2000

    private let scope: Scope
    private var random: Randomness
    private var now = 0
    private var places: [Place]
    private var machines: [Machine]
    private var workers: [Worker] = []
    /// The events of each coming millisecond, in turn; the longest wait is below its length.
    private var wheel = [[Event]](repeating: [], count: 1 << 19)
    private(set) var figures = Figures()

    init(_ scope: Scope) {
        self.scope = scope
        random = Randomness(seed: scope.seed)
        places = Array(repeating: Place(), count: scope.machines * scope.placesEach)
        machines = (0..<scope.machines).map { Machine(name: "m\($0)") }
        figures.statements = Array(repeating: 0, count: scope.seconds)
        for number in places.indices {
            // All open within a lease at first.
            let machine = number / scope.placesEach
            after(
                random.below(5000), .acquire(place: number, machine: machine, life: 0, tries: 0))
        }
        for number in machines.indices { scheduleFault(number, from: 6000) }
    }

    static func run(_ scope: Scope) -> Figures {
        var world = ReachWorld(scope)
        world.run()
        return world.figures
    }

    private mutating func run() {
        while now < scope.seconds * 1000, figures.failures.count < 5 {
            let slot = now & (wheel.count - 1)
            let events = wheel[slot]
            wheel[slot] = []
            for event in events { handle(event) }
            // An event of this very millisecond would be lost: none is scheduled.
            now += 1
        }
    }

    private mutating func after(_ milliseconds: Int, _ event: Event) {
        let time = now + min(max(1, milliseconds), wheel.count - 1)
        wheel[time & (wheel.count - 1)].append(event)
    }

    private mutating func fail(_ what: String, _ place: Int) {
        figures.failures.append("\(what), place \(place), \(now) ms, seed \(scope.seed)")
    }

    // MARK: - The database

    /// The way to the server, or back, in milliseconds.
    private mutating func way() -> Int { 1 + random.below(3) }

    private var isAway: Bool {
        guard let outage = scope.outage else { return false }
        return (outage * 1000..<outage * 1000 + 2000).contains(now)
    }

    private mutating func count(_ statements: Int) {
        figures.statements[now / 1000] += statements
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .tick(let worker): tick(worker)
        case .execute(let worker, let group): execute(worker, group)
        case .answer(let worker, let group, let isDone): answer(worker, group, isDone)
        case .seek(let place, let tries): seek(place, tries)
        case .acquire(let place, let machine, let life, let tries):
            acquire(place, machine, life, tries)
        case .fault(let machine): fault(machine)
        case .miss(let machine, let life): miss(machine, life)
        }
    }

    // MARK: - Workers

    private func isAlive(_ number: Int) -> Bool {
        let worker = workers[number]
        return !worker.hasEnded && machines[worker.machine].life == worker.life
    }

    /// Each second a worker commits, or renews its lease.
    private mutating func tick(_ number: Int) {
        guard isAlive(number) else { return }
        let machine = machines[workers[number].machine]
        guard machine.pausedUntil <= now else {
            return after(machine.pausedUntil - now, .tick(worker: number))
        }
        // `tcp_user_timeout` ends a statement that does not get through.
        guard machine.cutUntil <= now else { return end(number) }
        let group = random.percent(scope.commitPercent) ? workers[number].known + 1 : nil
        // Most statements take no time, so that large worlds are quick.
        if random.percent(90) { return execute(number, group, isPrompt: true) }
        after(way(), .execute(worker: number, group: group))
    }

    /// The server runs a statement, whatever has become of its sender.
    private mutating func execute(_ number: Int, _ group: Int?, isPrompt: Bool = false) {
        count(1)
        let worker = workers[number]
        guard !isAway else { return end(number) }
        // A statement with a group renews, too: it comes once a second.
        let epoch = scope.admitsAnyEpoch ? places[worker.place].owner.epoch : worker.epoch
        let isDone = places[worker.place].owner.renew(epoch, at: Int64(now))
        if isDone, let group {
            places[worker.place].newest += 1
            figures.commits += 1
            if group != places[worker.place].newest {
                fail("group \(group) in place \(places[worker.place].newest)", worker.place)
            }
        }
        if !isDone { figures.refused += 1 }
        if random.below(1_000_000) < scope.lossPerMillion { return end(number) }
        if isPrompt { return answer(number, group, isDone) }
        after(way(), .answer(worker: number, group: group, isDone: isDone))
    }

    private mutating func answer(_ number: Int, _ group: Int?, _ isDone: Bool) {
        guard isAlive(number) else { return }
        let worker = workers[number]
        let machine = machines[worker.machine]
        guard machine.pausedUntil <= now else {
            return after(
                machine.pausedUntil - now, .answer(worker: number, group: group, isDone: isDone))
        }
        // Refused, or without an answer: it ends, and lets nothing out.
        guard isDone, machine.cutUntil <= now else { return end(number) }
        if let group {
            // Others may have gone on while this machine was stopped.
            places[worker.place].acknowledged = max(places[worker.place].acknowledged, group)
            workers[number].known = group
        }
        served(worker.place)
        after(1000, .tick(worker: number))
    }

    /// A worker ends, and its napkind starts it again at once.
    private mutating func end(_ number: Int) {
        guard isAlive(number) else { return }
        workers[number].hasEnded = true
        let worker = workers[number]
        guard places[worker.place].waitsSince < 0 else { return }
        places[worker.place].waitsSince = now
        after(
            way(),
            .acquire(place: worker.place, machine: worker.machine, life: worker.life, tries: 0))
    }

    // MARK: - Places

    private mutating func wait(_ place: Int, since: Int? = nil) {
        guard places[place].waitsSince < 0 else { return }
        places[place].waitsSince = since ?? now
        after(1 + random.below(100), .seek(place: place, tries: 0))
        // Some sessions have fronts that come to two machines.
        if random.percent(10) { after(1 + random.below(100), .seek(place: place, tries: 0)) }
    }

    /// The place's fronts see its owner again.
    private mutating func served(_ place: Int) {
        guard places[place].waitsSince >= 0 else { return }
        figures.takeOvers.append(now - places[place].waitsSince)
        places[place].waitsSince = -1
    }

    private mutating func seek(_ place: Int, _ tries: Int) {
        guard places[place].waitsSince >= 0 else { return }
        let machine = random.below(machines.count)
        let found = machines[machine]
        guard max(found.pausedUntil, found.cutUntil, found.deadUntil) <= now else {
            return after(Self.retry, .seek(place: place, tries: 0))
        }
        after(
            way(), .acquire(place: place, machine: machine, life: found.life, tries: tries))
    }

    /// The server runs an attempt of a machine, which tries again itself.
    private mutating func acquire(_ place: Int, _ machine: Int, _ life: Int, _ tries: Int) {
        count(Self.tryStatements)
        let found = machines[machine]
        guard found.life == life, max(found.pausedUntil, found.cutUntil) <= now, !isAway else {
            return after(Self.pause, .seek(place: place, tries: 0))
        }
        // Its napkind knows a worker that lives.
        if found.workers.contains(where: { workers[$0].place == place && isAlive($0) }) {
            return after(Self.retry, .seek(place: place, tries: 0))
        }
        switch places[place].owner.acquire(for: found.name, at: Int64(now)) {
        case .acquired(let epoch):
            count(Self.openingStatements - Self.tryStatements)
            if places[place].newest < places[place].acknowledged {
                fail("an acknowledged group is gone", place)
            }
            served(place)
            machines[machine].workers = found.workers.filter { !workers[$0].hasEnded }
            machines[machine].workers.append(workers.count)
            after(500 + random.below(500), .tick(worker: workers.count))
            workers.append(
                Worker(
                    place: place, machine: machine, epoch: epoch, known: places[place].newest,
                    life: life))
        case .busy:
            guard places[place].waitsSince >= 0 else { return }
            guard tries < Self.tries else {
                return after(Self.pause, .seek(place: place, tries: 0))
            }
            after(
                Self.retry,
                .acquire(place: place, machine: machine, life: life, tries: tries + 1))
        }
    }

    // MARK: - Faults

    private mutating func scheduleFault(_ machine: Int, from least: Int) {
        after(least + random.below(2 * scope.faultSeconds * 1000), .fault(machine: machine))
    }

    private mutating func fault(_ number: Int) {
        let length = 1000 + random.below(60_000)
        let life = machines[number].life
        switch random.below(3) {
        case 0:
            figures.deaths += 1
            machines[number].life += 1
            machines[number].deadUntil = now + length
            let ended = machines[number].workers
            machines[number].workers = []
            for worker in ended where !workers[worker].hasEnded { wait(workers[worker].place) }
        case 1:
            figures.pauses += 1
            machines[number].pausedUntil = now + length
            after(Self.notice, .miss(machine: number, life: life))
        default:
            figures.cuts += 1
            machines[number].cutUntil = now + length
        }
        scheduleFault(number, from: length)
    }

    private mutating func miss(_ number: Int, _ life: Int) {
        guard machines[number].life == life, machines[number].pausedUntil > now else { return }
        for worker in machines[number].workers where !workers[worker].hasEnded {
            wait(workers[worker].place, since: now - Self.notice)
        }
    }
}
