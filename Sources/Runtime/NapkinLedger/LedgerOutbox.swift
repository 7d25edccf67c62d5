// LedgerOutbox: adds the timers and jobs that interactors request to the stretch.
//
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCoding
import NapkinCore

/// Limits of a session's timers and jobs. Chosen: a session is read and written whole.
enum InputLimits {
    static let timersMax = 1000
    static let timerBytesMax = 1024 * 1024
    static let timerPayloadBytesMax = 16 * 1024
    static let nameBytesMax = 128
    /// The shortest interval of a timer, in milliseconds.
    static let intervalMin: Int64 = 100
    /// The end of the year 9999, in milliseconds since 1970.
    static let timeMax: Int64 = 253_402_300_799_999
    static let jobsMax = 1000
    static let jobBytesMax = 4 * 1024 * 1024
    static let jobPayloadBytesMax = 64 * 1024
}

/// The timers and jobs requested in a stretch, in order.
struct InputRequests {
    private(set) var timers: [TimerImage] = []
    private var passed: [(node: UInt32, change: TimerChange)] = []
    private(set) var jobs: [JobImage] = []
    private var jobChanges: [(node: UInt32, change: JobChange)] = []

    var isEmpty: Bool { timers.isEmpty && passed.isEmpty && jobs.isEmpty && jobChanges.isEmpty }

    /// Returns the recorded timers with these requests.
    func timers(over recorded: [TimerImage]) -> [TimerImage] {
        let kept = recorded.filter { timer in
            !passed.contains { $0.change.id == timer.id }
                && !timers.contains { $0.node == timer.node && $0.name == timer.name }
        }
        return kept + timers
    }

    /// Returns a node's recorded jobs that were given up, without those taken up since.
    func deadJobs(of node: UInt32, in recorded: [JobImage]) -> [JobImage] {
        recorded.filter { job in
            job.node == node && job.isTold == true
                && !jobChanges.contains { $0.change.id == job.id }
        }
    }

    /// Adds a timer, which replaces the node's timer of that name.
    mutating func schedule(_ timer: TimerImage) {
        timers.removeAll { $0.node == timer.node && $0.name == timer.name }
        timers.append(timer)
    }

    /// Cancels a node's timer, and any recorded one that it has replaced.
    mutating func cancel(_ name: String, of node: UInt32, in recorded: [TimerImage]) {
        timers.removeAll { $0.node == node && $0.name == name }
        for timer in recorded where timer.node == node && timer.name == name {
            passed.append((node, TimerChange(id: timer.id)))
        }
    }

    mutating func post(_ job: JobImage) { jobs.append(job) }

    /// Withdraws a posted job. Returns false if there is none with this key.
    mutating func withdraw(_ key: JobKey, of node: UInt32) -> Bool {
        let count = jobs.count
        jobs.removeAll { $0.node == node && $0.key == key.bytes }
        return jobs.count < count
    }

    /// Returns a node's jobs that have not ended, with these requests.
    func openJobs(of node: UInt32, in recorded: [JobImage]) -> [JobImage] {
        let kept = recorded.filter { job in
            job.node == node && job.failure == nil
                && !jobChanges.contains { $0.change.id == job.id }
        }
        return kept + jobs.filter { $0.node == node }
    }

    /// Ends a recorded job: it is cancelled, or was given up and is taken up.
    mutating func end(_ job: JobImage) {
        jobChanges.append((job.node, JobChange(id: job.id, isOver: true)))
    }

    /// Drops the requests of these nodes.
    mutating func drop(where isDropped: (UInt32) -> Bool) {
        timers.removeAll { isDropped($0.node) }
        passed.removeAll { isDropped($0.node) }
        jobs.removeAll { isDropped($0.node) }
        jobChanges.removeAll { isDropped($0.node) }
    }

    func enter(_ record: inout Record) {
        if !timers.isEmpty { record.timers = timers }
        if !passed.isEmpty { record.passed = passed.map(\.change) }
        if !jobs.isEmpty { record.jobs = jobs }
        if !jobChanges.isEmpty { record.jobChanges = jobChanges.map(\.change) }
    }
}

/// The outbox of a session that is recorded.
struct LedgerOutbox: Outbox {
    let ledger: SessionLedger

    func schedule(_ timer: TimerRequest, of number: UInt32) throws(DurableError) {
        // Requests during the tree's shutdown are dropped, like all other changes then.
        guard ledger.records(number) else { return }
        let due =
            switch timer.start {
            case .at(let time): time
            case .after(let delay): ledger.journal.scheduler.clock().plus(max(0, delay))
            case .calendar(let schedule):
                schedule.next(afterMilliseconds: ledger.journal.scheduler.clock())
            }
        try check(timer, due)
        let others = timers.filter { $0.node != number || $0.name != timer.name }
        let bytes = others.reduce(timer.payload.bytes.count) { $0 + $1.payload.count }
        guard others.count < InputLimits.timersMax, bytes <= InputLimits.timerBytesMax else {
            throw DurableError(
                .tooMany,
                "timer '\(timer.name)': the session has \(others.count) timers already; at most "
                    + "\(InputLimits.timersMax) with \(InputLimits.timerBytesMax) bytes are kept")
        }
        ledger.stateChanged(of: number)
        ledger.image.newestInput += 1
        ledger.open().requests.schedule(
            TimerImage(
                id: ledger.image.newestInput, node: number, name: timer.name, due: max(0, due),
                interval: timer.interval, missed: timer.missed.code,
                payload: timer.payload.bytes, calendar: timer.calendar?.description))
    }

    private func check(_ timer: TimerRequest, _ due: Int64) throws(DurableError) {
        let what = "timer '\(timer.name)'"
        guard (1...InputLimits.nameBytesMax).contains(timer.name.utf8.count) else {
            throw DurableError(
                .unsuitable,
                "a timer's name has 1 to \(InputLimits.nameBytesMax) bytes, and this one "
                    + "\(timer.name.utf8.count)")
        }
        guard due <= InputLimits.timeMax else {
            throw DurableError(.unsuitable, "\(what) would fire after the year 9999")
        }
        if let interval = timer.interval {
            guard (InputLimits.intervalMin...InputLimits.timeMax).contains(interval) else {
                throw DurableError(
                    .unsuitable,
                    "\(what) would fire every \(interval) ms; "
                        + "\(InputLimits.intervalMin) ms is the least")
            }
        }
        guard timer.payload.bytes.count <= InputLimits.timerPayloadBytesMax else {
            throw DurableError(
                .unsuitable,
                "\(what) would carry \(timer.payload.bytes.count) bytes; "
                    + "\(InputLimits.timerPayloadBytesMax) is the most")
        }
    }

    func cancel(_ timer: String, of number: UInt32) {
        guard timers.contains(where: { $0.node == number && $0.name == timer }),
            ledger.records(number)
        else { return }
        ledger.stateChanged(of: number)
        ledger.open().requests.cancel(timer, of: number, in: ledger.image.timers)
    }

    func nextFiring(_ timer: String, of number: UInt32) -> Int64? {
        timers.first { $0.node == number && $0.name == timer && $0.failure == nil }?.due
    }

    func deadTimers(of number: UInt32) -> [String: JobFailure] {
        let dead = timers.filter { $0.node == number && $0.failure != nil }
        return Dictionary(dead.map { ($0.name, $0.end) }) { $1 }
    }

    /// The requests of the open stretch.
    private var requests: InputRequests { ledger.stretch?.requests ?? InputRequests() }

    /// The timers, including this stretch's changes so far.
    private var timers: [TimerImage] { requests.timers(over: ledger.image.timers) }

    // MARK: - Jobs

    func post(
        _ job: Payload, _ attempts: JobAttempts?, of number: UInt32
    ) throws(DurableError) -> JobKey {
        let key = JobKey.random()
        guard ledger.records(number) else { return key }
        guard job.bytes.count <= InputLimits.jobPayloadBytesMax else {
            throw DurableError(
                .unsuitable,
                "a job of \(job.bytes.count) bytes; \(InputLimits.jobPayloadBytesMax) is the most")
        }
        let open = ledger.image.jobs.filter { $0.isTold != true } + requests.jobs
        let bytes = open.reduce(job.bytes.count) { $0 + $1.payload.count }
        guard open.count < InputLimits.jobsMax, bytes <= InputLimits.jobBytesMax else {
            throw DurableError(
                .tooMany,
                "the session has \(open.count) jobs that have not ended; at most "
                    + "\(InputLimits.jobsMax) with \(InputLimits.jobBytesMax) bytes are kept")
        }
        ledger.stateChanged(of: number)
        add(job.bytes, key, attempts.map(JobPolicy.init), of: number)
        return key
    }

    func cancel(job key: JobKey, of number: UInt32) -> Bool {
        guard ledger.records(number),
            let job = requests.openJobs(of: number, in: ledger.image.jobs)
                .first(where: { $0.key == key.bytes }),
            !ledger.inputs.isHandled(job.id)
        else { return false }
        ledger.stateChanged(of: number)
        let stretch = ledger.open()
        if !stretch.requests.withdraw(key, of: number) { stretch.requests.end(job) }
        return true
    }

    func openJobs(of number: UInt32) -> [OpenJob] {
        requests.openJobs(of: number, in: ledger.image.jobs).map { job in
            let running = ledger.inputs.attempt(of: job.id)
            return OpenJob(
                key: JobKey(bytes: job.key), attempts: Int(running ?? job.attempts),
                isUnderWay: running != nil, due: job.due)
        }
    }

    private func add(
        _ job: [UInt8], _ key: JobKey, _ policy: JobPolicy?, of number: UInt32
    ) {
        ledger.image.newestInput += 1
        ledger.open().requests.post(
            JobImage(
                id: ledger.image.newestInput, node: number, key: key.bytes, payload: job,
                due: ledger.journal.scheduler.clock(), attempts: 0, policy: policy))
    }

    func deadLetters(of number: UInt32) -> [DeadLetter] {
        requests.deadJobs(of: number, in: ledger.image.jobs).map { job in
            DeadLetter(key: JobKey(bytes: job.key), failure: job.end)
        }
    }

    func takeUp(deadLetter key: JobKey, of number: UInt32, again: Bool) -> Bool {
        let dead = requests.deadJobs(of: number, in: ledger.image.jobs)
        guard let job = dead.first(where: { $0.key == key.bytes }), ledger.records(number)
        else { return false }
        ledger.stateChanged(of: number)
        ledger.open().requests.end(job)
        if again { add(job.payload, key, job.policy, of: number) }
        return true
    }
}

extension TimerImage {
    /// The reason why it was given up.
    var end: JobFailure { JobFailure(attempts: Int(attempts ?? 0) + 1, reason: failure ?? "") }
}

extension JobPolicy {
    init(_ attempts: JobAttempts) {
        self.init(
            most: Int32(clamping: attempts.most), first: attempts.first.wholeMilliseconds,
            longest: attempts.longest.wholeMilliseconds)
    }

    var attempts: JobAttempts {
        JobAttempts(
            most: Int(most), first: .milliseconds(first), longest: .milliseconds(longest))
    }
}

extension JobImage {
    /// The reason why it was given up.
    var end: JobFailure { JobFailure(attempts: Int(attempts), reason: failure ?? "") }
}
