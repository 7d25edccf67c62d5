// ScheduledInput: a timer's firing or a job's result, while its handler is under way.
//
// Invariant  the first record of its handler ensures that it does not run again.

package import NapkinCore

/// An input that comes from the session's own timers and jobs.
@MainActor
package final class ScheduledInput {
    package enum Kind {
        case firing(TimerImage, next: Int64?)
        case attempt(JobImage, number: Int32)
        /// The interactor learns that a job was given up.
        case death(JobImage, JobFailure)
    }

    package let kind: Kind
    package let id: UInt64
    package let node: UInt32
    /// Whether it is given up if the worker ends in it.
    package let isLast: Bool
    /// Whether a record says that it has run.
    var isRecorded = false
    /// Whether its handler is about to run, or has run.
    var isHandled = false
    /// The task that runs the input.
    var task: Task<Void, Never>?
    /// Whether the image lists it among the begun inputs.
    var isBegun = false

    init(_ kind: Kind, isLast: Bool = false) {
        (self.kind, self.isLast) = (kind, isLast)
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
    package var method: String {
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

    /// The arguments of the handler, as bytes: different arguments have different bytes.
    package var arguments: [UInt8] {
        switch kind {
        case .firing(let timer, _): Array(timer.name.utf8) + timer.payload
        case .attempt(let job, _), .death(let job, _): job.payload
        }
    }

    var begun: BegunInput { BegunInput(id: id, node: node, method: method, name: name) }

    /// A description of the input for people.
    var description: String {
        if case .firing = kind { "timer '\(name)'" } else { "job \(name)" }
    }
}
