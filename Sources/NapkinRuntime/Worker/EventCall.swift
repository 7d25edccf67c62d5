// EventCall: an event that has arrived in a worker, and its reply's way back.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore

/// Answers one event of one front; a front that has left gets nothing.
@MainActor
final class EventCall: NodeCall {
    private weak var front: FrontLink?
    private let sequence: UInt64
    private var isAnswered = false

    init(node: FeatureNode, front: FrontLink, sequence: UInt64) {
        self.front = front
        self.sequence = sequence
        super.init(node: node)
    }

    override func succeed(_ encode: PayloadEncoder) {
        guard claim() else { return }
        front?.reply(to: sequence, encode)
    }

    override func succeed() {
        guard claim() else { return }
        front?.reply(to: sequence) { (_) throws(CBORError) in }
    }

    override func fail(_ error: any Error) {
        guard claim() else { return }
        front?.fail(sequence, RemoteFault(reporting: error))
    }

    private func claim() -> Bool {
        defer { isAnswered = true }
        return !isAnswered
    }
}
