// FrontWorkflows: the workflows that one connection of a front has opened in its worker.
//
// Ownership  owned by its front's seat, which is passed in; owns the runs until they have ended.
// Invariant  no workflow outlives the connection that opened it.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

/// Runs the workflows that a front opens, and tells the front of their progress.
@MainActor
final class FrontWorkflows {
    private struct Running {
        let url: String
        let run: WorkflowRun
    }

    private var running: [UInt64: Running] = [:]
    /// Whether the connection has ended, so that workflows are no longer reported.
    private var isOver = false

    /// Describes the workflows in progress, in the order in which they were opened.
    func infos(of front: UInt64) -> [WorkflowInfo] {
        running.sorted { $0.key < $1.key }.map { _, running in
            WorkflowInfo(
                url: running.url, front: front, steps: running.run.current.map(Self.step))
        }
    }

    func cancel(_ number: UInt64) { running[number]?.run.cancel() }

    /// Cancels these workflows, because the connection that opened them has ended.
    func connectionEnded(_ numbers: [UInt64]) {
        isOver = true
        for number in numbers { cancel(number) }
    }

    // MARK: - Running

    func start(_ url: String, _ number: UInt64, _ front: FrontSeat) {
        let run: WorkflowRun
        do throws(DeepLinkError) {
            run = try front.session.open(url) { [self] progress in
                guard !isOver, front.machine.workflows.stepReported(number) else { return }
                let step = Self.step(progress)
                front.ordered(FrameHeader(.workflowStep, sequence: number), step)
            }
        } catch {
            let ended = WorkflowEnded(Self.outcome(of: error.code), Self.shortened(error.message))
            return self.ended(ended, number, front)
        }
        running[number] = Running(url: url, run: run)
        Task.immediate { [self] in
            let ended = Self.ended(await run.end)
            running[number] = nil
            self.ended(ended, number, front)
        }
    }

    private func ended(_ ended: WorkflowEnded, _ number: UInt64, _ front: FrontSeat) {
        guard !isOver, front.machine.workflows.ended(number) else { return }
        front.ordered(FrameHeader(.workflowEnded, sequence: number), ended)
    }

    // MARK: - Conversions

    private static func step(_ progress: WorkflowProgress) -> WorkflowStep {
        WorkflowStep(
            step: progress.step, of: progress.of, name: shortened(progress.name),
            state: progress.state.rawValue, message: progress.message.map(shortened))
    }

    private static func ended(_ end: WorkflowEnd) -> WorkflowEnded {
        switch end {
        case .completed: WorkflowEnded(.completed)
        case .failed(let error): WorkflowEnded(.failed, shortened("\(error)"))
        case .cancelled: WorkflowEnded(.cancelled, "the workflow was cancelled")
        }
    }

    private static func outcome(of code: DeepLinkError.Code) -> WorkflowEnded.Outcome {
        switch code {
        case .malformed: .malformedURL
        case .unknown: .unknownURL
        case .unusable: .failed
        }
    }

    private static func shortened(_ text: String) -> String {
        text.shortened(to: Limits.textBytesMax)
    }
}
