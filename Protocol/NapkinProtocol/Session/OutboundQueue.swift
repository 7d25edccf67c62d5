// OutboundQueue: the messages that wait for one front, by delivery class.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one front's link.
// Ownership  keeps the keys of states and logs (not their values), and the bytes of all else.
// Invariant  a state key waits once, and a log's; effects are within Limits.effectQueueMax and,
//            but for a single one, Limits.effectQueueBytesMax; order is kept, except that a state
//            that is presented again keeps its earlier place.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// The messages to one front that have not been handed to its socket.
public struct OutboundQueue: Sendable {
    /// Identifies a state or a log, whose newest value or items are looked up when it is sent.
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
        /// A state whose node's mount comes after it.
        case mountedState(StateKey)
        /// Items that have been appended to a log.
        case log(StateKey)
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
    private var waiting = StateKeys()
    /// The logs that wait, with the place of each: how many items were queued before it.
    private var logs: [StateKey: Int] = [:]
    /// How many items have been removed from the front of `items`.
    private var removed = 0
    private var effects = 0
    private var effectBytes = 0
    private var orderedBytes = 0
    /// Effects that were dropped.
    public private(set) var droppedEffects = 0
    /// States that were replaced before they were sent.
    public var mergedStates = 0

    public init() {}

    @inlinable public var isEmpty: Bool { head == items.count }
    public var count: Int { items.count - head }
    /// The number of waiting states.
    public var waitingStates: Int { waiting.count }
    public var waitingEffects: Int { effects }
    public var waitingOrderedBytes: Int { orderedBytes }

    /// - Parameter isMounted: whether the state belongs to a mount that is queued next.
    public mutating func offerState(_ key: StateKey, isMounted: Bool = false) -> Outcome {
        guard waiting.insert(key) else {
            mergedStates += 1
            return .merged
        }
        items.append(isMounted ? .mountedState(key) : .state(key))
        return .queued
    }

    /// Whether what was queued last is a log.
    public var endsWithLog: Bool { if case .log? = items.last { true } else { false } }

    /// Queues a log that has grown. Everything that it gets until it is sent is sent in this place.
    public mutating func offerLog(_ key: StateKey) {
        guard logs[key] == nil else { return }
        logs[key] = removed + items.count
        items.append(.log(key))
    }

    /// Takes the logs of a node that wait, out of their turn.
    public mutating func takeLogs(of node: UInt32) -> [StateKey] {
        guard !logs.isEmpty else { return [] }
        let keys = logs.keys.filter { $0.node == node }
        for key in keys { logs[key] = nil }
        return keys
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

    /// Removes the newest effect that has this frame.
    public mutating func withdraw(effect frame: [UInt8]) {
        guard let index = items[head...].lastIndex(of: .effect(frame)) else { return }
        items[index] = .ordered([])
        effects -= 1
        effectBytes -= frame.count
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
        while head < items.count {
            let item = items[head]
            let isDue = taken(item, at: removed + head)
            head += 1
            compact()
            if isDue { return item }
        }
        return nil
    }

    /// Returns false for a log that was taken out of its turn.
    private mutating func taken(_ item: Item, at place: Int) -> Bool {
        switch item {
        case .state(let key), .mountedState(let key): waiting.remove(key)
        case .log(let key):
            guard logs[key] == place else { return false }
            logs[key] = nil
        case .effect(let frame):
            effects -= 1
            effectBytes -= frame.count
        case .ordered(let frame): orderedBytes -= frame.count
        }
        return true
    }

    private mutating func compact() {
        if head == items.count {
            items.removeAll(keepingCapacity: items.capacity <= 4096)
        } else if head >= 1024, head * 2 > items.count {
            items.removeFirst(head)
        } else {
            return
        }
        removed += head
        head = 0
    }
}

/// The states that wait. Comparing a few costs less than hashing one (measured).
private struct StateKeys {
    private static let fewMax = 8
    private var few: [OutboundQueue.StateKey] = []
    /// All of them, while there are more than a few.
    private var many: Set<OutboundQueue.StateKey> = []

    var count: Int { few.count + many.count }

    /// Returns false if it is there already.
    mutating func insert(_ key: OutboundQueue.StateKey) -> Bool {
        guard many.isEmpty else { return many.insert(key).inserted }
        if few.contains(key) { return false }
        if few.count < Self.fewMax {
            few.append(key)
        } else {
            many = Set(few)
            many.insert(key)
            few = []
        }
        return true
    }

    mutating func remove(_ key: OutboundQueue.StateKey) {
        if !many.isEmpty {
            many.remove(key)
        } else if let index = few.firstIndex(of: key) {
            few.remove(at: index)
        }
    }
}
