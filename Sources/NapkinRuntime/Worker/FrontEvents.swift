// FrontEvents: a worker's record of one front's events, whichever connection the front has.
//
// Layer      runtime: performs what SessionWorkerStateMachine decides.
// Isolation  @MainActor: the loop thread.
// Ownership  kept by its session while the front is here or may come back, and by the front's
//            links; knows the link that stands until that has ended.
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinCoding
import NapkinCore
import NapkinProtocol

/// What is known of a front beyond its connections.
@MainActor
final class FrontEvents {
    let front: UInt64
    @exclusivity(unchecked) var machine: SessionWorkerStateMachine
    /// The link of the connection that stands; what arrives on another one is dropped.
    @exclusivity(unchecked) private(set) var current: FrontLink?
    /// Who it was on its newest connection, for listings.
    private(set) var info: FrontInfo?

    init(front: UInt64) {
        self.front = front
        machine = SessionWorkerStateMachine(front: front)
    }

    /// A connection of the front has been attached. Returns a former one: close it.
    func attached(_ link: FrontLink) -> FrontLink? {
        let former = current
        current = link
        info = link.identity
        machine.attached()
        return former
    }

    /// A connection has ended; whether the front is away now.
    func ended(_ link: FrontLink) -> Bool {
        guard current === link else { return false }
        current = nil
        machine.connectionEnded()
        return true
    }

    /// The answer to an event whose connection does not stand any more: it goes to the one that
    /// does, or waits for the front.
    func answer(_ sequence: UInt64, _ frame: [UInt8]) {
        frame.withUnsafeBytes { machine.answerEncoded(sequence, $0) }
        if machine.isConnected { current?.ordered(frame) }
    }
}
