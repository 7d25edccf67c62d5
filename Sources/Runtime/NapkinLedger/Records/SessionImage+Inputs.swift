// SessionImage+Inputs: applies records to a session's timers and jobs.
//
// Invariant  a node has at most one timer of a name; the node of each timer, job and input exists.
// Spec       Protocol/LEDGER.md, Images

import NapkinCoding
import NapkinCore

extension SessionImage {
    /// The number of dead letters that are kept. Chosen: more than a person looks through.
    package static let deadLettersMax = 100

    package var newestInput: UInt64 {
        get { own?.newestInput ?? 0 }
        set { own = own.with { $0.newestInput = newValue } }
    }

    package var timers: [TimerImage] {
        get { own?.timers ?? [] }
        set { own = own.with { $0.timers = newValue } }
    }

    package var jobs: [JobImage] {
        get { own?.jobs ?? [] }
        set { own = own.with { $0.jobs = newValue } }
    }

    package var inputs: [BegunInput] {
        get { own?.inputs ?? [] }
        set { own = own.with { $0.inputs = newValue } }
    }

    mutating func applyInputs(_ record: Record) {
        for change in record.passed ?? [] { apply(change) }
        for timer in record.timers ?? [] { keep(timer) }
        for job in record.jobs ?? [] where index(of: job.node) != nil {
            newestInput = max(newestInput, job.id)
            jobs.append(job)
        }
        for change in record.jobChanges ?? [] { apply(change) }
        for input in record.inputs ?? [] where index(of: input.node) != nil {
            inputs.append(input)
        }
        if let over = record.over { inputs.removeAll { over.contains($0.id) } }
    }

    mutating func detachInputs(of gone: Set<UInt32>) {
        guard own != nil else { return }
        timers.removeAll { gone.contains($0.node) }
        jobs.removeAll { gone.contains($0.node) }
        inputs.removeAll { gone.contains($0.node) }
    }

    private mutating func keep(_ timer: TimerImage) {
        guard index(of: timer.node) != nil else { return }
        newestInput = max(newestInput, timer.id)
        timers.removeAll { $0.node == timer.node && $0.name == timer.name }
        timers.append(timer)
    }

    private mutating func apply(_ change: TimerChange) {
        guard let index = timers.firstIndex(where: { $0.id == change.id }) else { return }
        guard let due = change.due else {
            timers.remove(at: index)
            return
        }
        timers[index].due = due
        timers[index].attempts = nil
    }

    private mutating func apply(_ change: JobChange) {
        guard let index = jobs.firstIndex(where: { $0.id == change.id }) else { return }
        if change.isOver == true {
            jobs.remove(at: index)
            return
        }
        if let due = change.due { jobs[index].due = due }
        if let attempts = change.attempts { jobs[index].attempts = attempts }
        if let failure = change.failure { jobs[index].failure = failure }
        if let isTold = change.isTold {
            jobs[index].isTold = isTold
            forgetDeadLetters()
        }
    }

    /// Forgets the oldest of too many dead letters.
    private mutating func forgetDeadLetters() {
        let dead = jobs.filter { $0.isTold == true }.map(\.id)
        let gone = dead.dropLast(Self.deadLettersMax)
        if !gone.isEmpty { jobs.removeAll { gone.contains($0.id) } }
    }
}

/// The part of an image that says when its session has something due; the rest is not read.
@Message
struct DueImage: LedgerItem {
    private var own: OwnImage?

    init(_ image: SessionImage) {
        own = image.own
    }

    private var timers: [TimerImage] { own?.timers ?? [] }
    var jobs: [JobImage] {
        get { own?.jobs ?? [] }
        set { own = own.with { $0.jobs = newValue } }
    }

    /// The due time of the first timer or job for which `isWanted` is true.
    func earliest(where isWanted: (UInt64, UInt32) -> Bool = { _, _ in true }) -> Int64? {
        var earliest: Int64?
        for timer in timers where timer.failure == nil && isWanted(timer.id, timer.node) {
            earliest = min(earliest ?? .max, timer.due)
        }
        for job in jobs where job.isTold != true && isWanted(job.id, job.node) {
            earliest = min(earliest ?? .max, job.due)
        }
        return earliest
    }
}

extension OwnImage? {
    /// Returns it with a change; an absent one that the change leaves empty stays absent.
    fileprivate func with(_ change: (inout OwnImage) -> Void) -> OwnImage? {
        var changed = self ?? OwnImage()
        change(&changed)
        return self == nil && changed == OwnImage() ? nil : changed
    }
}
