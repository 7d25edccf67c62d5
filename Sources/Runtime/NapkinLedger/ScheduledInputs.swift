// ScheduledInputs: runs a session's due timers and jobs, each once.
//
// Ownership  owned by the session's ledger.
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCoding
import NapkinCore
import NapkinTransport

/// The timers and jobs of a session, as its own inputs.
@MainActor
package final class ScheduledInputs {
    private unowned let ledger: SessionLedger
    /// Whether the tree has been restored as far as it will be without further inputs.
    private(set) var isReady = false
    private var running: [UInt64: ScheduledInput] = [:]
    /// Timers and jobs that this version of the app cannot handle.
    private var parked: Set<UInt64> = []
    /// Timers that were due before the session was restored: the former worker may have died in
    /// their handlers.
    private var suspects: Set<UInt64> = []
    /// Jobs that were posted in this process: none of their attempts was interrupted.
    var fresh: Set<UInt64> = []
    private var performing = 0

    /// The number of a session's jobs performed at the same time. Chosen: a part of
    /// `DueScheduler.jobsMax`.
    private static let jobsMax = 4
    /// The number of attempts to fire a suspect timer before it is given up. Chosen: with the
    /// firing that made it suspect, the worker dies less often than would degrade the app.
    private static let firingsMax: Int32 = 2
    private static let reasonBytesMax = 1000

    init(of ledger: SessionLedger) { self.ledger = ledger }

    /// Lets due inputs run after the tree has been restored. Reports missing children.
    package func ready() {
        isReady = true
        for place in ledger.tree.unattached {
            Anomaly.report(
                .childNotAttached(
                    feature: FeatureID(rawValue: place.feature), slot: place.slot,
                    number: place.number))
        }
        let now = ledger.journal.scheduler.clock()
        alignCalendars(at: now)
        suspects = Set(ledger.image.timers.filter { $0.due <= now }.map(\.id))
        dueChanged()
    }

    /// Whether the ledger is up to date, and none of the session's own inputs is under way or waits
    /// for others.
    package var isAtRest: Bool {
        isReady && !ledger.isClosed && ledger.stretch == nil && running.isEmpty
            && !ledger.journal.scheduler.awaitsRoom(ledger)
    }

    /// Whether the input may still change something.
    func isUnderWay(_ input: ScheduledInput) -> Bool {
        !ledger.isClosed && running[input.id] === input && ledger.members[input.node] != nil
    }

    // MARK: - Due inputs

    /// Moves calendar timers to their next time: the clock was set back, or the time zone may have
    /// changed.
    func alignCalendars(at now: Int64) {
        guard isReady, !ledger.isClosed else { return }
        let changes = ledger.image.timers.compactMap { timer -> TimerChange? in
            guard timer.due > now, timer.failure == nil, running[timer.id] == nil,
                let next = timer.schedule?.next(afterMilliseconds: now), next != timer.due
            else { return nil }
            return TimerChange(id: timer.id, due: next)
        }
        if !changes.isEmpty { ledger.commitAlone { $0.passed = changes } }
    }

    /// Reports the time of the session's next input.
    func dueChanged() {
        guard isReady, !ledger.isClosed, !ledger.isDormant else { return }
        var due = DueImage(ledger.image)
        let isKept = { (id: UInt64, node: UInt32) in
            !self.parked.contains(id) && self.ledger.members[node] != nil
        }
        let earliest = due.earliest(where: isKept)
        // A session without jobs waits for no room.
        if due.jobs.contains(where: { $0.failure == nil }),
            performing >= Self.jobsMax || !ledger.journal.scheduler.hasRoomForJobs(of: ledger)
        {
            due.jobs.removeAll { $0.failure == nil }
        }
        let check = due.earliest { id, node in isKept(id, node) && running[id] == nil }
        ledger.journal.scheduler.changed(ledger, due: earliest, check: check)
    }

    /// Runs the due inputs.
    func runDue(at now: Int64) {
        guard isReady, !ledger.isClosed else { return }
        for timer in ledger.image.timers.sorted(by: { $0.due < $1.due })
        where timer.failure == nil && timer.due <= now && mayRun(timer.id, timer.node) {
            let firing = timer.firing(at: now)
            let more = Self.firingsMax - (timer.attempts ?? 0)
            let isSuspect = suspects.contains(timer.id)
            let input = ScheduledInput(
                .firing(timer, next: firing.next), isLast: isSuspect && more <= 1)
            if isSuspect, more <= 0 {
                giveUp(timer, input)
            } else if firing.runs {
                run(input)
            } else {
                ledger.commitAlone {
                    $0.passed = [TimerChange(id: timer.id, due: firing.next)]
                }
            }
        }
        for job in ledger.image.jobs
        where job.isTold != true && job.due <= now && mayRun(job.id, job.node) {
            begin(job, at: now)
        }
        dueChanged()
    }

    private func mayRun(_ id: UInt64, _ node: UInt32) -> Bool {
        running[id] == nil && !parked.contains(id) && ledger.members[node] != nil
    }

    private func run(_ input: ScheduledInput) {
        guard let member = ledger.members[input.node] else { return }
        running[input.id] = input
        call(member.durable, with: input, ledger)
    }

    private func begin(_ job: JobImage, at now: Int64) {
        if job.failure != nil { return tell(ScheduledInput(.death(job, job.end))) }
        guard let attempts = attempts(of: job) else {
            return park(job.id, job.node, "a job", "its interactor posts none")
        }
        let number = job.attempts &+ 1
        // The first attempt needs no record: it is repeated after a death.
        let isFirst = number <= 1 && fresh.contains(job.id)
        let input = ScheduledInput(
            .attempt(job, number: number), isLast: number >= attempts.most && !isFirst)
        guard number > 0, number <= attempts.most else {
            let reason = "the worker ended during attempt \(job.attempts)" + receipt(of: input)
            return giveUp(job, job.attempts, reason, at: now)
        }
        guard performing < Self.jobsMax, ledger.journal.scheduler.takeJob(for: ledger) else {
            return
        }
        performing += 1
        if !isFirst {
            ledger.commitAlone { $0.jobChanges = [JobChange(id: job.id, attempts: number)] }
        }
        run(input)
    }

    /// Tells the interactor that a job was given up, unless doing so has ended the worker twice.
    private func tell(_ input: ScheduledInput) {
        guard let death = death(in: input), death.isSetAside else { return run(input) }
        let reason = "its handler has ended the worker twice: receipt \(death.receipt)"
        report(
            input.node, "the end of \(input.description)", JobFailure(attempts: 2, reason: reason))
        ledger.commitAlone { $0.jobChanges = [JobChange(id: input.id, isTold: true)] }
    }

    /// The receipt of the newest death in an input, if it is known.
    private func death(in input: ScheduledInput) -> (receipt: UInt64, isSetAside: Bool)? {
        ledger.session?.death(in: input, of: feature(of: input.node))
    }

    private func receipt(of input: ScheduledInput) -> String {
        death(in: input).map { ": receipt \($0.receipt)" } ?? ""
    }

    /// Makes the worker note an input, which runs in the call's task.
    func begins(_ input: ScheduledInput, in call: IncomingCall) {
        ledger.session?.begins(input, of: feature(of: input.node), in: call)
    }

    /// Whether the former worker may have died in the input's handler.
    func isSuspect(_ input: ScheduledInput) -> Bool { suspects.contains(input.id) }

    /// Records that a suspect timer's handler is about to be called.
    func tries(_ input: ScheduledInput) {
        guard isUnderWay(input), var timer = ledger.image.timers.first(where: { $0.id == input.id })
        else { return }
        timer.attempts = (timer.attempts ?? 0) &+ 1
        ledger.commitAlone { $0.timers = [timer] }
    }

    private func giveUp(_ timer: TimerImage, _ input: ScheduledInput) {
        var timer = timer
        timer.failure = "the worker ended each time while its handler ran" + receipt(of: input)
        report(timer.node, "timer '\(timer.name)'", timer.end)
        ledger.commitAlone { $0.timers = [timer] }
    }

    private func report(_ node: UInt32, _ what: String, _ failure: JobFailure) {
        Anomaly.report(.inputGivenUp(feature: feature(of: node), what, failure))
    }

    private func feature(of node: UInt32) -> FeatureID {
        ledger.members[node]?.router.feature ?? "?"
    }

    private func attempts(of job: JobImage) -> JobAttempts? {
        let posting = ledger.members[job.node]?.durable as? any PostingInteractable
        return posting.map { job.policy?.attempts ?? type(of: $0).attempts }
    }

    private func giveUp(_ job: JobImage, _ attempts: Int32, _ reason: String, at now: Int64) {
        let failure = JobFailure(
            attempts: Int(attempts), reason: reason.shortened(to: Self.reasonBytesMax))
        report(job.node, "job \(JobKey(bytes: job.key))", failure)
        let change = JobChange(
            id: job.id, due: now, attempts: attempts, failure: failure.reason)
        ledger.commitAlone { $0.jobChanges = [change] }
    }

    // MARK: - Outcomes

    /// Parks an input that the app cannot handle, for another version of the app.
    func park(_ input: ScheduledInput, _ reason: String) {
        running[input.id] = nil
        park(input.id, input.node, input.description, reason)
        dueChanged()
    }

    private func park(_ id: UInt64, _ node: UInt32, _ what: String, _ reason: String) {
        parked.insert(id)
        Anomaly.report(.inputNotTaken(feature: feature(of: node), what, reason: reason))
    }

    /// Ends an attempt.
    func performed() {
        performing -= 1
        ledger.journal.scheduler.jobEnded()
        dueChanged()
    }

    /// Records a failed attempt, and schedules another unless it was the last.
    func attemptFailed(_ input: ScheduledInput, _ reason: String) {
        let isUnderWay = isUnderWay(input)
        running[input.id] = nil
        guard isUnderWay, case .attempt(let job, let number) = input.kind,
            let attempts = attempts(of: job)
        else { return }
        let now = ledger.journal.scheduler.clock()
        guard number < attempts.most else { return giveUp(job, number, reason, at: now) }
        let delay = attempts.delay(after: Int(number), less: Double.random(in: 0...1))
        let due = now.plus(delay)
        ledger.commitAlone {
            $0.jobChanges = [JobChange(id: job.id, due: due, attempts: number)]
        }
        guard let posting = ledger.members[job.node]?.durable as? any PostingInteractable
        else { return }
        let failure = JobFailure(
            attempts: Int(number), reason: reason.shortened(to: Self.reasonBytesMax))
        Task {
            await posting.retrying(
                Payload(job.payload), failure, due: due, key: JobKey(bytes: job.key))
        }
    }

    // MARK: - Jobs that are cancelled

    /// Whether an input's handler runs or has run, so that it can no longer be cancelled.
    func isHandled(_ id: UInt64) -> Bool { running[id]?.isHandled == true }

    /// The number of a job's attempt that is under way; `nil` if none is.
    func attempt(of job: UInt64) -> Int32? {
        if case .attempt(_, let number)? = running[job]?.kind { number } else { nil }
    }

    /// Cancels the attempts of recorded jobs that have been cancelled.
    func forgetCancelled(_ changes: [JobChange]) {
        for change in changes where change.isOver == true {
            guard let input = running[change.id], !input.isRecorded else { continue }
            running[change.id] = nil
            input.task?.cancel()
        }
    }

    /// Ends an input whose handler has returned or thrown.
    func handled(_ input: ScheduledInput, failure: (any Error)?) {
        guard isUnderWay(input) else {
            running[input.id] = nil
            return
        }
        if let failure {
            failed(input, failure)
        } else {
            do throws(CBORError) {
                try ledger.handlerSucceeded()
            } catch {
                failed(input, error)
            }
        }
        ledger.open().ended.append(input)
        ledger.endStretch()
    }

    private func failed(_ input: ScheduledInput, _ error: any Error) {
        ledger.handlerFailed()
        Anomaly.report(
            .inputFailed(
                feature: feature(of: input.node), input.description, RemoteFault(reporting: error)))
    }

    /// Adds the inputs that have begun and ended in a stretch to its record.
    func record(_ stretch: SessionLedger.Stretch, in record: inout Record) {
        for input in stretch.ended {
            running[input.id] = nil
            suspects.remove(input.id)
            if !input.isRecorded {
                input.enter(&record)
            } else if input.isBegun {
                record.over.add([input.id])
            }
        }
        guard case .scheduled(let input)? = stretch.input, !record.isEmpty, !input.isRecorded
        else { return }
        input.enter(&record)
        input.isBegun = true
        record.inputs = [input.begun]
    }
}
