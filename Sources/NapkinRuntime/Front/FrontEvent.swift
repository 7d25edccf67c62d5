// FrontEvent: an event between its call and its end, kept for reuse by its front.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  keeps its front's spare events alive, and nothing else of the front.

import NapkinCore

/// A pending event that may wait for credit.
@MainActor
final class FrontEvent: PendingEvent {
    /// What is sent when there is credit.
    struct Held {
        var node: UInt32
        /// The epoch at the call: the node is the one of that number in that tree.
        var epoch: UInt32
        var method: MethodID
        var payload: Payload
    }

    private let spares: SpareEvents
    @exclusivity(unchecked) var held: Held?
    /// When it was called, where somebody measures.
    @exclusivity(unchecked) var calledAt: ContinuousClock.Instant?
    @exclusivity(unchecked) fileprivate var nextSpare: FrontEvent?

    fileprivate init(_ spares: SpareEvents) {
        self.spares = spares
        super.init()
    }

    override func didEnd() { spares.keep(self) }
}

/// Events that have ended, each of which knows the next: an event costs no allocation.
@MainActor
final class SpareEvents {
    /// Chosen: more are seldom outstanding.
    private static let countMax = 64

    @exclusivity(unchecked) private var first: FrontEvent?
    @exclusivity(unchecked) private var count = 0
    private var isClosed = false

    func make() -> FrontEvent {
        guard let event = first else { return FrontEvent(self) }
        first = event.nextSpare.take()
        count -= 1
        return event
    }

    fileprivate func keep(_ event: FrontEvent) {
        guard !isClosed, count < Self.countMax else { return }
        event.nextSpare = first.take()
        first = event
        count += 1
    }

    func close() {
        isClosed = true
        while let event = first { first = event.nextSpare.take() }
    }
}
