// FrontSessionDelegate: what a front's owner is told of its session.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.

public import NapkinCore
public import NapkinProtocol

/// Told what the session shows, and what becomes of a connection.
@MainActor
public protocol FrontSessionDelegate: AnyObject {
    func sessionAttached(_ session: FrontSession, _ attached: Attached)
    /// Apply the operations as a whole; a snapshot replaces everything shown so far.
    func session(_ session: FrontSession, applied transition: Transition, isSnapshot: Bool)
    func session(
        _ session: FrontSession, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    /// The newest state that the front has of a node's method, which a delta changes.
    func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload?
    /// The front has not read for a while; the newest of what it has missed follows.
    func session(_ session: FrontSession, skipped: Skipped)
    /// Answer with `FrontSession.answer`, unless `askEnded` or the connection's end comes first.
    func session(
        _ session: FrontSession, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    func session(_ session: FrontSession, askEnded id: UInt64)
    /// The session has another name: open that one to come back.
    func session(_ session: FrontSession, renamed: Renamed)
    func session(_ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep)
    func session(_ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded)
    /// An event has succeeded, where `timesEvents` asked for its time.
    func session(_ session: FrontSession, eventTook duration: Duration)
    /// An event has failed whose sender cannot be told.
    func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    )
    /// The connection has ended; `connect` makes another one, which goes on with the events.
    func sessionDisconnected(_ session: FrontSession, _ end: LinkEnd)
}

extension FrontSessionDelegate {
    public func session(_ session: FrontSession, renamed: Renamed) {}
    public func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? { nil }
    public func session(_ session: FrontSession, skipped: Skipped) {}
    public func session(
        _ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep
    ) {}
    public func session(
        _ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded
    ) {}
    public func session(_ session: FrontSession, eventTook duration: Duration) {}
    public func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    ) {}
}
