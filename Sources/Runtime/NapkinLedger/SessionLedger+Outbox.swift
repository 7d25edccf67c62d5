// SessionLedger+Outbox: adds the timers and jobs that interactors request to the stretch.
//
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCoding
package import NapkinCore

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

extension SessionLedger.Stretch {
    /// The timers and jobs requested by interactors, in order.
    struct Requests {
        var timers: [TimerImage] = []
        var passed: [(node: UInt32, change: TimerChange)] = []
        var jobs: [JobImage] = []
        var jobChanges: [(node: UInt32, change: JobChange)] = []

        var isEmpty: Bool {
            timers.isEmpty && passed.isEmpty && jobs.isEmpty && jobChanges.isEmpty
        }

        /// Drops the requests of these nodes.
        mutating func drop(where isDropped: (UInt32) -> Bool) {
            timers.removeAll { isDropped($0.node) }
            passed.removeAll { isDropped($0.node) }
            jobs.removeAll { isDropped($0.node) }
            jobChanges.removeAll { isDropped($0.node) }
        }

        func enter(_ record: inout Record) {
            if isEmpty { return }
            if !timers.isEmpty { record.timers = timers }
            if !passed.isEmpty { record.passed = passed.map(\.change) }
            if !jobs.isEmpty { record.jobs = jobs }
            if !jobChanges.isEmpty { record.jobChanges = jobChanges.map(\.change) }
        }
    }
}

extension SessionLedger {
    package func schedule(_ timer: TimerRequest, of number: UInt32) throws(DurableError) {
        // Requests during the tree's shutdown are dropped, like all other changes then.
        guard !isClosed, members[number] != nil else { return }
        var due: Int64
        switch timer.start {
        case .at(let time): due = time
        case .after(let delay): due = journal.dues.clock().plus(max(0, delay))
        }
        try check(timer, due)
        due = max(0, due)
        let others = timers().filter { $0.node != number || $0.name != timer.name }
        let bytes = others.reduce(timer.payload.bytes.count) { $0 + $1.payload.count }
        guard others.count < InputLimits.timersMax, bytes <= InputLimits.timerBytesMax else {
            throw DurableError(
                .tooMany,
                "timer '\(timer.name)': the session has \(others.count) timers already; at most "
                    + "\(InputLimits.timersMax) with \(InputLimits.timerBytesMax) bytes are kept")
        }
        stateChanged(of: number)
        image.newestInput += 1
        stretch?.requests.timers.removeAll { $0.node == number && $0.name == timer.name }
        stretch?.requests.timers.append(
            TimerImage(
                id: image.newestInput, node: number, name: timer.name, due: due,
                interval: timer.interval, missed: timer.missed.code,
                payload: timer.payload.bytes))
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

    package func cancel(_ timer: String, of number: UInt32) {
        guard let known = timers().last(where: { $0.node == number && $0.name == timer }),
            !isClosed
        else { return }
        stateChanged(of: number)
        stretch?.requests.timers.removeAll { $0.id == known.id }
        // The dropped timer may have replaced a recorded one.
        for recorded in image.timers where recorded.node == number && recorded.name == timer {
            stretch?.requests.passed.append((number, TimerChange(id: recorded.id)))
        }
    }

    package func isScheduled(_ timer: String, of number: UInt32) -> Bool {
        timers().contains { $0.node == number && $0.name == timer && $0.failure == nil }
    }

    package func deadTimers(of number: UInt32) -> [String: JobFailure] {
        let dead = timers().filter { $0.node == number && $0.failure != nil }
        return Dictionary(dead.map { ($0.name, $0.end) }) { $1 }
    }

    /// Returns the timers, including this stretch's changes so far.
    private func timers() -> [TimerImage] {
        guard let requests = stretch?.requests else { return image.timers }
        let kept = image.timers.filter { timer in
            !requests.passed.contains { $0.change.id == timer.id }
                && !requests.timers.contains { $0.node == timer.node && $0.name == timer.name }
        }
        return kept + requests.timers
    }

    // MARK: - Jobs

    package func post(_ job: Payload, of number: UInt32) throws(DurableError) -> JobKey {
        let key = JobKey.random()
        guard !isClosed, members[number] != nil else { return key }
        guard job.bytes.count <= InputLimits.jobPayloadBytesMax else {
            throw DurableError(
                .unsuitable,
                "a job of \(job.bytes.count) bytes; \(InputLimits.jobPayloadBytesMax) is the most")
        }
        let open = image.jobs.filter { $0.isTold != true } + (stretch?.requests.jobs ?? [])
        let bytes = open.reduce(job.bytes.count) { $0 + $1.payload.count }
        guard open.count < InputLimits.jobsMax, bytes <= InputLimits.jobBytesMax else {
            throw DurableError(
                .tooMany,
                "the session has \(open.count) jobs that have not ended; at most "
                    + "\(InputLimits.jobsMax) with \(InputLimits.jobBytesMax) bytes are kept")
        }
        stateChanged(of: number)
        add(job.bytes, key, of: number)
        return key
    }

    private func add(_ job: [UInt8], _ key: JobKey, of number: UInt32) {
        image.newestInput += 1
        stretch?.requests.jobs.append(
            JobImage(
                id: image.newestInput, node: number, key: key.bytes, payload: job,
                due: journal.dues.clock(), attempts: 0))
    }

    package func deadLetters(of number: UInt32) -> [DeadLetter] {
        deadJobs(of: number).map { job in
            DeadLetter(key: JobKey(bytes: job.key), failure: job.end)
        }
    }

    private func deadJobs(of number: UInt32) -> [JobImage] {
        let gone = stretch?.requests.jobChanges.map(\.change.id) ?? []
        return image.jobs.filter {
            $0.node == number && $0.isTold == true && !gone.contains($0.id)
        }
    }

    package func takeUp(deadLetter key: JobKey, of number: UInt32, again: Bool) -> Bool {
        guard let job = deadJobs(of: number).first(where: { $0.key == key.bytes }), !isClosed
        else { return false }
        stateChanged(of: number)
        var change = JobChange(job.id)
        change.isOver = true
        stretch?.requests.jobChanges.append((number, change))
        if again { add(job.payload, key, of: number) }
        return true
    }
}

extension TimerImage {
    /// The reason why it was given up.
    var end: JobFailure { JobFailure(attempts: Int(attempts ?? 0) + 1, reason: failure ?? "") }
}

extension JobImage {
    /// The reason why it was given up.
    var end: JobFailure { JobFailure(attempts: Int(attempts), reason: failure ?? "") }
}
