// OwnInput: a timer's firing or a job's result, while its handler is under way.
//
// Invariant  the first record of its handler ensures that it does not run again.

package import NapkinCore

/// An input that comes from the session's own timers and jobs.
@MainActor
package final class OwnInput {
    package enum Kind {
        case firing(TimerImage, next: Int64?)
        case attempt(JobImage, number: Int32)
        /// The interactor is told that a job was given up.
        case death(JobImage, JobFailure)
    }

    package let kind: Kind
    package let id: UInt64
    package let node: UInt32
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
        case .firing(_, let next):
            record.passed.add([TimerChange(id: id, due: next)])
        case .attempt:
            var change = JobChange(id)
            change.isOver = true
            record.jobChanges.add([change])
        case .death:
            var change = JobChange(id)
            change.isTold = true
            record.jobChanges.add([change])
        }
    }

    var begun: BegunInput {
        switch kind {
        case .firing(let timer, _):
            BegunInput(id: id, node: node, method: "timerFired(_:_:)", name: timer.name)
        case .attempt(let job, _):
            BegunInput(
                id: id, node: node, method: "jobSucceeded(_:_:key:)",
                name: JobKey(bytes: job.key).description)
        case .death(let job, _):
            BegunInput(
                id: id, node: node, method: "jobFailed(_:_:key:)",
                name: JobKey(bytes: job.key).description)
        }
    }

    /// A description of the input for people.
    package var description: String {
        switch kind {
        case .firing(let timer, _): "timer '\(timer.name)'"
        case .attempt(let job, _), .death(let job, _): "job \(JobKey(bytes: job.key))"
        }
    }
}
