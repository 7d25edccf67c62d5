// WorkflowWorkerStateMachine: the workflows that a front has opened on one connection.
//
// Invariant  a number runs at most once and is ended at most once; at most
//            `Limits.workflowsMax` are under way; none outlives its connection.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Decides which workflows run, and which of their reports are sent.
public struct WorkflowWorkerStateMachine: Sendable {
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
    public mutating func openReceived(
        _ number: UInt64, _ url: String
    ) -> SeatStateMachine.Action {
        guard number > newest else {
            return .violation("openURL \(number) after \(newest): its numbers ascend")
        }
        guard isConnected else { return .refuseWorkflow(WorkflowEnded(.cancelled)) }
        newest = number
        if isReadOnly {
            return .refuseWorkflow(
                WorkflowEnded(.refused, "this front is attached read-only"))
        }
        guard running.count < Limits.workflowsMax else {
            let what = "\(Limits.workflowsMax) workflows of this front are under way"
            return .refuseWorkflow(
                WorkflowEnded(.overloaded, "\(what): wait for one to end"))
        }
        running.append(number)
        return .open(url)
    }

    /// The front cancels a workflow, which may have ended already.
    public func cancelReceived(_ number: UInt64) -> SeatStateMachine.Action {
        guard number > 0, number <= newest else {
            return .violation("cancelWorkflow \(number), which was never opened")
        }
        return running.contains(number) ? .cancelWorkflow : .ignore
    }

    /// A step has reported its state. Returns whether to send it.
    public func stepReported(_ number: UInt64) -> Bool { running.contains(number) }

    /// A workflow has ended, or could not be started. Returns whether to send its end.
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
