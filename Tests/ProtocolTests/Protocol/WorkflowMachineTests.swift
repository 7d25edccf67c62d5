// WorkflowMachineTests: the workflows of one connection, on both sides.

import NapkinProtocol
import Testing

struct WorkflowMachineTests {
    private func open(
        _ machine: inout WorkflowWorkerStateMachine, _ number: UInt64
    ) -> SeatStateMachine.Action {
        machine.openReceived(number, "a:b")
    }

    @Test func `a workflow runs, reports and ends once`() {
        var machine = WorkflowWorkerStateMachine()
        #expect(open(&machine, 1) == .open("a:b"))
        #expect(machine.stepReported(1))
        #expect(machine.ended(1) == true)
        #expect(!machine.stepReported(1))
        #expect(machine.ended(1) == false)
        #expect(machine.cancelReceived(1) == .ignore)
    }

    @Test func `a number is used once, and they ascend`() {
        var machine = WorkflowWorkerStateMachine()
        #expect(open(&machine, 0) == .violation("openURL 0 after 0: its numbers ascend"))
        #expect(open(&machine, 5) == .open("a:b"))
        for number: UInt64 in [5, 4, 0] {
            #expect(
                open(&machine, number)
                    == .violation("openURL \(number) after 5: its numbers ascend"))
        }
        #expect(machine.ended(5) == true)
        #expect(open(&machine, 5) == .violation("openURL 5 after 5: its numbers ascend"))
        #expect(open(&machine, .max) == .open("a:b"))
    }

    @Test func `what was never opened cannot be cancelled`() {
        var machine = WorkflowWorkerStateMachine()
        for number: UInt64 in [0, 1, .max] {
            #expect(
                machine.cancelReceived(number)
                    == .violation("cancelWorkflow \(number), which was never opened"))
        }
        #expect(open(&machine, 1) == .open("a:b"))
        #expect(machine.cancelReceived(1) == .cancelWorkflow)
        #expect(machine.cancelReceived(1) == .cancelWorkflow)
    }

    @Test func `as many as the limit are under way, and no more`() {
        var machine = WorkflowWorkerStateMachine()
        let limit = UInt64(Limits.workflowsMax)
        for number in 1...limit { #expect(open(&machine, number) == .open("a:b")) }
        guard case .refuseWorkflow(let ended) = open(&machine, limit + 1) else {
            Issue.record("the limit is no limit")
            return
        }
        #expect(ended.outcome == .overloaded)
        // It never ran: there is nothing to end or to cancel.
        #expect(machine.ended(limit + 1) == false)
        #expect(machine.cancelReceived(limit + 1) == .ignore)
        #expect(machine.ended(3) == true)
        #expect(open(&machine, limit + 2) == .open("a:b"))
        #expect(machine.count == Limits.workflowsMax)
    }

    @Test func `a front that is read-only opens nothing`() {
        var machine = WorkflowWorkerStateMachine(isReadOnly: true)
        #expect(
            open(&machine, 1)
                == .refuseWorkflow(WorkflowEnded(.refused, "this front is attached read-only")))
        #expect(machine.count == 0)
    }

    @Test func `with its connection a workflow is cancelled, and nothing more is said`() {
        var machine = WorkflowWorkerStateMachine()
        for number: UInt64 in 1...3 { _ = open(&machine, number) }
        #expect(machine.ended(2) == true)
        #expect(machine.connectionEnded() == [1, 3])
        #expect(!machine.stepReported(1))
        #expect(machine.ended(1) == false)
        #expect(machine.connectionEnded() == [])
        #expect(open(&machine, 4) == .refuseWorkflow(WorkflowEnded(.cancelled)))
    }

    @Test func `a front hears of what it opened until its end, and of nothing else`() {
        var front = WorkflowFrontStateMachine()
        #expect(front.openRequested() == 1)
        #expect(front.openRequested() == 2)
        #expect(front.stepReceived(1) && front.stepReceived(2))
        #expect(front.stepReceived(3) == false)
        #expect(front.endReceived(3) == false)
        #expect(front.cancelRequested(1))
        #expect(front.endReceived(1) == true)
        #expect(front.endReceived(1) == false)
        #expect(!front.stepReceived(1) && !front.cancelRequested(1))
        #expect(front.stepReceived(2) && front.cancelRequested(2))
    }

    /// Both sides, and each frame between them lost, doubled or late.
    @Test func `whatever is lost or comes twice, a URL ends once and runs at most once`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var (front, worker) = (WorkflowFrontStateMachine(), WorkflowWorkerStateMachine())
            var (runs, ends): ([UInt64: Int], [UInt64: Int]) = ([:], [:])
            var opened: [UInt64] = []
            for _ in 0..<30 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let number = front.openRequested()
                    opened.append(number)
                    if case .open = open(&worker, number) {
                        runs[number, default: 0] += 1
                    }
                case 1:
                    guard let number = opened.randomElement(using: &random) else { break }
                    if case .open = open(&worker, number) {
                        runs[number, default: 0] += 1
                    }
                default:
                    guard let number = opened.randomElement(using: &random) else { break }
                    _ = worker.ended(number)
                    if front.endReceived(number) { ends[number, default: 0] += 1 }
                }
            }
            // With the connection, what has not ended before.
            for number in opened where front.stepReceived(number) { ends[number, default: 0] += 1 }
            #expect(opened.allSatisfy { ends[$0] == 1 && runs[$0, default: 0] <= 1 })
        }
    }
}
