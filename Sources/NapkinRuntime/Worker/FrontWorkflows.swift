// FrontWorkflows: the workflows that one connection of a front has opened in its worker.
//
// Layer      runtime: performs what WorkflowWorkerStateMachine decides.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its front's link, which it is given; owns the runs until they have ended.
// Invariant  no workflow outlives the connection that opened it.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

/// Runs what one front has opened, and tells it how that goes.
@MainActor
final class FrontWorkflows {
    private struct Running {
        let url: String
        let run: WorkflowRun
    }

    private var machine: WorkflowWorkerStateMachine
    private var running: [UInt64: Running] = [:]

    init(isReadOnly: Bool) {
        machine = WorkflowWorkerStateMachine(isReadOnly: isReadOnly)
    }

    /// How many are under way.
    var count: Int { machine.count }

    /// What is under way, in the order in which it was opened.
    func infos(of front: UInt64) -> [WorkflowInfo] {
        running.sorted { $0.key < $1.key }.map { _, running in
            WorkflowInfo(
                url: running.url, front: front, steps: running.run.current.map(Self.step))
        }
    }

    // MARK: - From the front

    func openReceived(
        _ number: UInt64, _ payload: UnsafeRawBufferPointer, from front: FrontLink
    ) {
        switch machine.openReceived(number) {
        case .violation(let what): front.link.violate(what)
        case .refuse(let ended): tell(ended, number, front)
        case .run:
            guard let open = payload.decoded(OpenURL.self) else {
                return front.link.violate("an unreadable openURL frame")
            }
            start(open.url, number, front)
        }
    }

    func cancelReceived(_ number: UInt64, from front: FrontLink) {
        switch machine.cancelReceived(number) {
        case .cancel: running[number]?.run.cancel()
        case .ignore: break
        case .violation(let what): front.link.violate(what)
        }
    }

    /// Nobody hears of them any more: they are cancelled.
    func connectionEnded() {
        for number in machine.connectionEnded() { running[number]?.run.cancel() }
    }

    // MARK: - Running

    private func start(_ url: String, _ number: UInt64, _ front: FrontLink) {
        let run: WorkflowRun
        do throws(DeepLinkError) {
            run = try front.session.open(url) { [self] progress in
                guard machine.stepReported(number) else { return }
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

    private func ended(_ ended: WorkflowEnded, _ number: UInt64, _ front: FrontLink) {
        if machine.ended(number) { tell(ended, number, front) }
    }

    private func tell(_ ended: WorkflowEnded, _ number: UInt64, _ front: FrontLink) {
        front.ordered(FrameHeader(.workflowEnded, sequence: number), ended)
    }

    // MARK: - Words

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
