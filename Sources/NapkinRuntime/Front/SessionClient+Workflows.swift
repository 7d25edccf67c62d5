// SessionClient+Workflows: a front has URLs opened, and hears how that goes.
//
// Layer      runtime: performs what WorkflowFrontStateMachine decides.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Invariant  a workflow ends once: as the worker says, or with `sessionEnded`.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
public import NapkinCore
public import NapkinProtocol

extension SessionClient {
    /// Has the worker run the workflow of a URL; the delegate hears of it by the number returned.
    ///
    /// `nil` when the connection has ended; nothing is sent then. Call it when the session is
    /// attached. The workflow is cancelled when this connection ends.
    public func openURL(_ url: String) -> UInt64? {
        guard link.isOpen else { return nil }
        let number = workflows.openRequested()
        link.send(FrameHeader(.openURL, sequence: number), value: OpenURL(url: url))
        return number
    }

    /// Has a workflow cancelled, if it has not ended; its end follows.
    public func cancelWorkflow(_ number: UInt64) {
        guard link.isOpen, workflows.cancelRequested(number) else { return }
        link.sendWithoutPayload(FrameHeader(.cancelWorkflow, sequence: number))
    }

    func workflowReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        let number = header.sequence
        if header.kind == .workflowStep {
            decode(WorkflowStep.self, payload) { step in
                guard workflows.stepReceived(number) else { return }
                delegate?.session(self, workflow: number, reached: step)
            }
        } else {
            decode(WorkflowEnded.self, payload) { ended in
                guard workflows.endReceived(number) else { return }
                delegate?.session(self, workflow: number, ended: ended)
            }
        }
    }
}

extension SessionClientDelegate {
    public func session(_ client: SessionClient, renamed: Renamed) {}
    public func session(
        _ client: SessionClient, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? { nil }
    public func session(_ client: SessionClient, skipped: Skipped) {}
    public func session(
        _ client: SessionClient, workflow number: UInt64, reached step: WorkflowStep
    ) {}
    public func session(
        _ client: SessionClient, workflow number: UInt64, ended: WorkflowEnded
    ) {}
}
