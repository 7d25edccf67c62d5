// DeskError: why something cannot be done, as a value and in words.

public import NapkinCore

/// The errors that the events of Desk throw.
@Message
public enum DeskError: CrossingError, Equatable, CustomStringConvertible {
    case unknown(String)
    case order(String)
    case tooMany(Int)
    /// It is in a state in which that makes no sense.
    case notNow(Int, Run.State)
    /// What is typed finds no room.
    case unread(Int)
    case answered(Question)
    case readOnly
    case fault(RemoteFault)

    public var description: String {
        switch self {
        case .unknown(let name): "there is no run or group '\(name)': `desk ls` lists them"
        case .order(let reason): reason
        case .tooMany(let count):
            "\(count) runs are waiting or running: kill one, or try later"
        case .notNow(let id, let state): "run \(id) \(state.refusal(id))"
        case .unread(let id): "run \(id) does not read what is typed: try again"
        case .answered(let question):
            "question \(question.id) was answered \(question.answer?.choice ?? "nothing") "
                + "by \(question.answer?.by ?? "nobody")"
        case .readOnly: "this front is read-only"
        case .fault(let fault): fault.message
        }
    }
}

extension Run.State {
    /// What it is, and what can be done: `is running: it can be paused and killed`.
    fileprivate func refusal(_ id: Int) -> String {
        switch self {
        case .waiting: "is waiting, and can only be killed; `desk queue Q 0` holds a queue"
        case .running: "is running, and can be paused or killed: `desk kill \(id)`"
        case .paused: "is paused, and can be resumed or killed: `desk resume \(id)`"
        case .ending: "is ending: `desk wait \(id)` waits for it"
        case .succeeded: "has succeeded, and can only be run again or removed"
        case .failed: "has failed, and can only be run again or removed"
        case .killed, .skipped, .lost:
            "has ended (\(rawValue)), and can only be run again or removed"
        }
    }
}
