// FrontSessionDelegate: receives a front session's reports on behalf of its owner.

package import NapkinCore
package import NapkinProtocol

/// Receives the session's output, and the changes of its connection.
@MainActor
package protocol FrontSessionDelegate: AnyObject {
    func sessionAttached(_ session: FrontSession, _ attached: Attached)
    /// Apply the operations as a whole; a snapshot replaces everything shown so far.
    func session(_ session: FrontSession, applied transition: Transition, isSnapshot: Bool)
    /// A state or an effect has arrived. Returns the message for the node's view, if it has one.
    /// The message is handled when this has returned, and before anything else is read.
    func session(
        _ session: FrontSession, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage?
    /// The last presented message has been handled, up to its handler's first suspension. Called
    /// before the session reports anything else, and at least once for each such message.
    func sessionHasPresented(_ session: FrontSession)
    /// Items of a log have arrived, in order; some may have arrived before.
    func session(
        _ session: FrontSession, _ items: LogItems, of node: UInt32, _ method: MethodID)
    /// Returns the front's newest state of a node's method, to which a delta is applied.
    func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload?
    /// The front has not read for a while and has missed messages; the newest states follow.
    func session(_ session: FrontSession, skipped: Skipped)
    /// Answer with `FrontSession.answer`, unless `askEnded` or the connection's end comes first.
    func session(
        _ session: FrontSession, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    func session(_ session: FrontSession, askEnded id: UInt64, answeredBy: String?)
    /// The session has a new name, under which the front can come back.
    func session(_ session: FrontSession, renamed: Renamed)
    func session(_ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep)
    func session(_ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded)
    /// An event has succeeded. Called only if `timesEvents` is set.
    func session(_ session: FrontSession, eventTook duration: Duration)
    /// The front waits for something, or no longer does. Called only if `watchesWorker` is set.
    func session(_ session: FrontSession, waits wait: FrontWait?)
    /// An event has failed, and its sender cannot learn of it.
    func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    )
    /// An event has ended with a receipt; its sender also learns of it, but may not report it.
    func session(_ session: FrontSession, setAside fault: RemoteFault)
    /// The connection has ended. After the next `connect` the front's events continue.
    func sessionDisconnected(_ session: FrontSession, _ end: ConnectionEnd)
}

extension FrontSessionDelegate {
    package func sessionHasPresented(_ session: FrontSession) {}
    package func session(
        _ session: FrontSession, _ items: LogItems, of node: UInt32, _ method: MethodID
    ) {}
    package func session(_ session: FrontSession, renamed: Renamed) {}
    package func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? { nil }
    package func session(_ session: FrontSession, skipped: Skipped) {}
    package func session(
        _ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep
    ) {}
    package func session(
        _ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded
    ) {}
    package func session(_ session: FrontSession, eventTook duration: Duration) {}
    package func session(_ session: FrontSession, waits wait: FrontWait?) {}
    package func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    ) {}
    package func session(_ session: FrontSession, setAside fault: RemoteFault) {}
}
