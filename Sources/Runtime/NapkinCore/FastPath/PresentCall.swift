// PresentCall: the call of a message presented to a view in a front.
//
// Layer      core, fast path; see README.md.
// Ownership  a node of a front keeps its view's call.

/// A presented state or effect, which needs no answer; a failure is reported. One call serves all
/// messages of a view.
@MainActor
package final class PresentCall: IncomingCall {
    package let receiver: CrossingReceiver
    private let feature: FeatureID
    private let pool: HandlerPool

    package init(
        _ receiver: CrossingReceiver, of feature: FeatureID,
        in pool: HandlerPool = IncomingCall.handlers
    ) {
        self.receiver = receiver
        self.feature = feature
        self.pool = pool
        super.init()
    }

    package override func start(_ handling: consuming Handling) {
        if pool.hasFree { pool.run(self, handling) } else { super.start(handling) }
    }

    package override func fail(_ error: any Error) {
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}

extension ReceivedMessage {
    /// A message for a view.
    package init(_ call: PresentCall, _ method: MethodID, _ payload: UnsafeRawBufferPointer) {
        self.init(call, call.receiver, method, payload)
    }
}
