// OutboundQueue: the messages that wait for one front, by delivery class.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one front's link.
// Ownership  keeps the keys of states (not their values), and the bytes of everything else.
// Invariant  a state key waits once; effects are within Limits.effectQueueMax and, but for a single
//            one, Limits.effectQueueBytesMax; order is kept, except that a state that is presented
//            again keeps its earlier place.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// The messages to one front that have not been handed to its socket.
public struct OutboundQueue: Sendable {
    /// Identifies a state, whose newest value is looked up when it is sent.
    public struct StateKey: Hashable, Sendable {
        public var node: UInt32
        public var method: UInt32

        public init(node: UInt32, method: UInt32) {
            self.node = node
            self.method = method
        }
    }

    /// One item to send.
    public enum Item: Equatable, Sendable {
        case state(StateKey)
        /// Whole, encoded frames.
        case effect([UInt8])
        case ordered([UInt8])
    }

    /// The result of an offer.
    public enum Outcome: Equatable, Sendable {
        case queued
        /// The state was already waiting: its newest value will be sent in its place.
        case merged
        /// The limit of effects is reached: the effect was dropped and counted in `droppedEffects`.
        case dropped
        /// The limit of frames that must be delivered is reached: disconnect the front.
        case overflow
    }

    @usableFromInline var items: [Item] = []
    @usableFromInline var head = 0
    private var waiting: Set<StateKey> = []
    private var effects = 0
    private var effectBytes = 0
    private var orderedBytes = 0
    /// Effects that were dropped.
    public private(set) var droppedEffects = 0
    /// States that were replaced before they were sent.
    public private(set) var mergedStates = 0

    public init() {}

    @inlinable public var isEmpty: Bool { head == items.count }
    public var count: Int { items.count - head }
    /// The number of waiting states.
    public var waitingStates: Int { waiting.count }
    public var waitingEffects: Int { effects }
    public var waitingOrderedBytes: Int { orderedBytes }

    public mutating func offerState(_ key: StateKey) -> Outcome {
        guard waiting.insert(key).inserted else {
            mergedStates += 1
            return .merged
        }
        items.append(.state(key))
        return .queued
    }

    /// Returns whether an effect of this size would be queued, not dropped.
    public func hasRoom(forEffectOf bytes: Int) -> Bool {
        effects == 0
            || effects < Limits.effectQueueMax && effectBytes + bytes <= Limits.effectQueueBytesMax
    }

    public mutating func offerEffect(_ frame: [UInt8]) -> Outcome {
        guard hasRoom(forEffectOf: frame.count) else {
            droppedEffects += 1
            return .dropped
        }
        effects += 1
        effectBytes += frame.count
        items.append(.effect(frame))
        return .queued
    }

    /// Queues a frame that must be delivered: a reply, a transition, an ask.
    public mutating func offerOrdered(_ frame: [UInt8]) -> Outcome {
        guard orderedBytes + frame.count <= Limits.orderedBacklogBytesMax else { return .overflow }
        orderedBytes += frame.count
        items.append(.ordered(frame))
        return .queued
    }

    /// Removes and returns the next item to send.
    public mutating func next() -> Item? {
        guard head < items.count else { return nil }
        let item = items[head]
        head += 1
        switch item {
        case .state(let key): waiting.remove(key)
        case .effect(let frame):
            effects -= 1
            effectBytes -= frame.count
        case .ordered(let frame): orderedBytes -= frame.count
        }
        if head == items.count {
            items.removeAll(keepingCapacity: items.capacity <= 4096)
            head = 0
        } else if head >= 1024, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Drops the states of nodes that no longer exist, for which `isGone` returns true.
    public mutating func dropStates(where isGone: (UInt32) -> Bool) {
        waiting = waiting.filter { !isGone($0.node) }
        items = items[head...].filter { item in
            if case .state(let key) = item { !isGone(key.node) } else { true }
        }
        head = 0
    }
}
