// WorkflowWorkerStateMachine: the workflows that a front has opened on one connection.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  value; owned by one connection.
// Invariant  a number runs at most once and is ended at most once; at most
//            `Limits.workflowsMax` are under way; none outlives its connection.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Decides which workflows run, and which of their reports are sent.
public struct WorkflowWorkerStateMachine: Sendable {
    /// What to do about an `openURL` frame.
    public enum OpenAction: Equatable, Sendable {
        case run
        /// Send this; nothing runs.
        case refuse(WorkflowEnded)
        case violation(String)
    }

    /// What to do about a `cancelWorkflow` frame.
    public enum CancelAction: Equatable, Sendable {
        case cancel
        /// The workflow has already ended.
        case ignore
        case violation(String)
    }

    private let isReadOnly: Bool
    private var newest: UInt64 = 0
    private var running: [UInt64] = []
    private var isConnected = true

    public init(isReadOnly: Bool = false) {
        self.isReadOnly = isReadOnly
    }

    /// The number of workflows under way.
    public var count: Int { running.count }

    /// The front asks to open a URL.
    public mutating func openReceived(_ number: UInt64) -> OpenAction {
        guard number > newest else {
            return .violation("openURL \(number) after \(newest): its numbers ascend")
        }
        guard isConnected else { return .refuse(WorkflowEnded(.cancelled)) }
        newest = number
        if isReadOnly {
            return .refuse(WorkflowEnded(.refused, "this front is attached read-only"))
        }
        guard running.count < Limits.workflowsMax else {
            let what = "\(Limits.workflowsMax) workflows of this front are under way"
            return .refuse(WorkflowEnded(.overloaded, "\(what): wait for one to end"))
        }
        running.append(number)
        return .run
    }

    /// The front asks to cancel a workflow.
    public mutating func cancelReceived(_ number: UInt64) -> CancelAction {
        guard number > 0, number <= newest else {
            return .violation("cancelWorkflow \(number), which was never opened")
        }
        return running.contains(number) ? .cancel : .ignore
    }

    /// A step has reported its state. Returns whether to send it.
    public func stepReported(_ number: UInt64) -> Bool { running.contains(number) }

    /// A workflow has ended, or could not be started. Returns whether to send that.
    public mutating func ended(_ number: UInt64) -> Bool {
        guard let index = running.firstIndex(of: number) else { return false }
        running.remove(at: index)
        return true
    }

    /// The connection has ended. Returns the workflows to cancel, since their reports would reach
    /// nobody.
    public mutating func connectionEnded() -> [UInt64] {
        isConnected = false
        defer { running = [] }
        return running
    }
}
