// OwnInput: a timer's firing or a job's result, while its handler is under way.
//
// Invariant  the first record of its handler ensures that it does not run again.

import NapkinCore

/// An input that comes from the session's own timers and jobs.
@MainActor
final class OwnInput {
    enum Kind {
        case firing(TimerImage, next: Int64?)
        case attempt(JobImage, number: Int32)
        /// The interactor is told that a job was given up.
        case death(JobImage, JobFailure)
    }

    let kind: Kind
    let id: UInt64
    let node: UInt32
    /// Whether a record says that it has run.
    var isRecorded = false
    /// Whether the image lists it among the begun inputs.
    var isBegun = false

    init(_ kind: Kind) {
        self.kind = kind
        switch kind {
        case .firing(let timer, _): (id, node) = (timer.id, timer.node)
        case .attempt(let job, _), .death(let job, _): (id, node) = (job.id, job.node)
        }
    }

    /// Marks the input as run in the record that holds the rest of the same stretch.
    func enter(_ record: inout Record) {
        isRecorded = true
        switch kind {
        case .firing(_, let next): record.passed.add([TimerChange(id: id, due: next)])
        case .attempt: record.jobChanges.add([JobChange(id: id, isOver: true)])
        case .death: record.jobChanges.add([JobChange(id: id, isTold: true)])
        }
    }

    /// The signature of the handler.
    var method: String {
        switch kind {
        case .firing: "timerFired(_:_:)"
        case .attempt: "jobSucceeded(_:_:key:)"
        case .death: "jobFailed(_:_:key:)"
        }
    }

    /// The timer's name, or the job's key.
    private var name: String {
        switch kind {
        case .firing(let timer, _): timer.name
        case .attempt(let job, _), .death(let job, _): JobKey(bytes: job.key).description
        }
    }

    var begun: BegunInput { BegunInput(id: id, node: node, method: method, name: name) }

    /// A description of the input for people.
    var description: String {
        if case .firing = kind { "timer '\(name)'" } else { "job \(name)" }
    }
}
