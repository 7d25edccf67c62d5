// JobError: why something cannot be done with a job, as a value and in words.

public import NapkinCore

/// The errors that the events of Jobs throw.
@Message
public enum JobError: CrossingError, Equatable, CustomStringConvertible {
    case unknown(Int)
    case order(String)
    case tooMany(Int)
    /// It is in a state in which that makes no sense.
    case notNow(Int, Job.State)
    case readOnly
    /// The file of the jobs cannot be written: what is not there is not accepted.
    case notKept(String)
    case fault(RemoteFault)

    public var description: String {
        switch self {
        case .unknown(let id): "there is no job \(id)"
        case .order(let reason): reason
        case .tooMany(let count): "\(count) jobs are already waiting: cancel one, or try later"
        case .notNow(let id, let state): "job \(id) is \(state.rawValue)"
        case .readOnly: "this front is read-only"
        case .notKept(let reason): "jobs cannot be kept: \(reason)"
        case .fault(let fault): fault.message
        }
    }
}
