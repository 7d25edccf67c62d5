// Output: the queue of everything that must still be sent to one front.
//
// Ownership  kept by the front's seat, for one connection. Keeps the keys of states and the ends of
//            logs, not their values, and the frames of everything else.
// Invariant  a state waits once; effects that cannot be sent are within Limits.effectQueueMax and,
//            except for a single larger one, Limits.effectQueueBytesMax; order is kept, except
//            that a state presented again keeps its earlier place.
// Spec       Protocol/SPEC.md, sections 2 (Ordering guarantees) and 7 (Delivery classes)

/// The output still owed to one front, before it enters the connection's buffer: the front's own
/// queue first, then the part of ``SharedOutput`` that it has not taken. Also has the marks
/// that limit how much of the buffer may leave.
///
/// Each offer returns when to send. To send, call ``next(_:_:)`` and perform each step until it
/// returns `nil`. The moment of sending does not change the order.
public struct Output: Hashable, Sendable {
    /// Whether anything may be sent to the front.
    public enum Flow: Sendable {
        case open
        /// A handler may still take back its output.
        case revocable
        /// More than `Limits.slowFrontBytes` wait for the socket.
        case slow
    }

    /// When to send.
    public enum Due: Equatable, Sendable {
        /// Nothing new is due.
        case never
        case atEndOfTurn
        case now
        /// The backlog of frames that must arrive is at its limit: disconnect the front.
        case overflow
    }

    /// One thing to send.
    public enum Step: Equatable, Sendable {
        /// The newest value.
        case state(StateKey)
        /// Items of a log; more may have been appended since.
        case log(StateKey, Range<UInt64>)
        /// Whole, encoded frames.
        case frames([UInt8])
        /// Effects of ``SharedOutput``.
        case effects(Range<Int>)
        case skipped(Skipped)
    }

    @usableFromInline enum Item: Hashable, Sendable {
        case state(StateKey)
        /// A state whose node's mount comes after it.
        case mountedState(StateKey)
        /// A log, up to this number.
        case log(StateKey, UInt64)
        case effect([UInt8])
        case ordered([UInt8])
        /// An effect that was rolled back.
        case withdrawn
    }

    private struct LogCursor: Hashable {
        /// The number of the next item to send.
        var next: UInt64
        /// Its latest place: the number of items queued before it; `nil` if it does not wait.
        var place: Int?
    }

    /// Holds the connection's buffer back until it may leave; `nil` if it need not wait.
    public var held: OutputHold?
    @usableFromInline var items: [Item] = []
    @usableFromInline var head = 0
    /// How much of the shared output is in `items` or has been sent; `nil` before the front has
    /// been shown the tree.
    @usableFromInline var shared: SharedOutput.Mark?
    /// Counts what the front has missed since its last `skipped` frame.
    @usableFromInline var skipped = Skipped()
    private var waiting = StateKeys()
    private var logs: [StateKey: LogCursor] = [:]
    private var waitingLogs = 0
    /// Waiting states that changed again while a log of their node waited behind them.
    private var lateStates: Set<StateKey> = []
    /// The place after the last item that is not a log.
    private var tail = 0
    /// The number of items removed from the front of `items`.
    private var removed = 0
    public private(set) var waitingEffects = 0
    private var effectBytes = 0
    public private(set) var waitingOrderedBytes = 0
    /// Effects that were dropped.
    public private(set) var droppedEffects = 0
    /// States that were replaced before they were sent.
    public internal(set) var mergedStates = 0

    public init() {}

    /// Whether the front's own queue is empty.
    @inlinable public var isEmpty: Bool { head == items.count }
    public var count: Int { items.count - head }
    /// The number of waiting states.
    public var waitingStates: Int { waiting.count }

    /// Whether the front is owed all of the shared output, and nothing else.
    @inlinable public var isOwedSharedOnly: Bool {
        isEmpty && shared?.isStart == true && skipped == Skipped()
    }

    // MARK: - Shared output

    /// The front is sent the current tree: it is owed all shared output from now on.
    public mutating func treeShown(_ all: inout SharedOutput) {
        shared = all.end
        all.taken(upTo: all.end)
    }

    /// The front is shown nothing more.
    public mutating func treeHidden() { shared = nil }

    /// The front has been sent all of the shared output at once.
    public mutating func sharedWritten(merged: Int) { mergedStates += merged }

    /// The turn has ended, and no shared output is left.
    public mutating func sharedEnded() { if shared != nil { shared = SharedOutput.Mark() } }

    /// Queues the shared output ahead of an item for this front alone.
    private mutating func take(_ all: inout SharedOutput, _ flow: Flow) {
        guard var mark = shared, mark != all.end else { return }
        while let part = all.next(&mark) {
            switch part {
            case .state(let key, let merges): _ = queueState(key, merges, flow)
            case .effects(let range): for index in range { queueEffect(all.frame(index), flow) }
            }
        }
        shared = mark
        all.taken(upTo: mark)
    }

    // MARK: - Offers

    /// A state has changed.
    public mutating func stateChanged(
        _ key: StateKey, _ flow: Flow, _ all: inout SharedOutput
    ) -> Due {
        take(&all, flow)
        return queueState(key, 0, flow) ? .atEndOfTurn : .never
    }

    /// A state belongs to a mount that must arrive next.
    public mutating func stateMounted(_ key: StateKey, _ flow: Flow, _ all: inout SharedOutput) {
        take(&all, flow)
        if waiting.insert(key, at: removed + items.count) == nil { append(.mountedState(key)) }
    }

    private mutating func queueState(_ key: StateKey, _ merges: Int, _ flow: Flow) -> Bool {
        let former = waiting.insert(key, at: removed + items.count)
        let isNew = former == nil
        if isNew { append(.state(key)) }
        if waitingLogs > 0, let former, waitingLog(of: key.node, after: former) != nil {
            lateStates.insert(key)
        }
        let replaced = isNew ? merges : merges + 1
        mergedStates += replaced
        if flow == .slow { skipped.states += replaced }
        return isNew
    }

    /// An effect was presented; it is dropped if it cannot be sent and too many wait.
    public mutating func effectPresented(
        _ frame: [UInt8], _ flow: Flow, _ all: inout SharedOutput
    ) -> Due {
        take(&all, flow)
        return queueEffect(frame, flow)
    }

    @discardableResult
    private mutating func queueEffect(_ frame: [UInt8], _ flow: Flow) -> Due {
        let hasRoom =
            waitingEffects == 0
            || waitingEffects < Limits.effectQueueMax
                && effectBytes + frame.count <= Limits.effectQueueBytesMax
        guard hasRoom || flow == .open else {
            droppedEffects += 1
            skipped.effects += 1
            return .never
        }
        waitingEffects += 1
        effectBytes += frame.count
        append(.effect(frame))
        return hasRoom ? .atEndOfTurn : .now
    }

    /// Drops the newest effect with this frame.
    public mutating func withdraw(effect frame: [UInt8]) {
        guard let index = items[head...].lastIndex(of: .effect(frame)) else { return }
        items[index] = .withdrawn
        waitingEffects -= 1
        effectBytes -= frame.count
    }

    /// Queues frames that must arrive: a reply, a transition, an ask. Queues nothing if it returns
    /// `overflow`.
    public mutating func mustArrive(
        _ frames: [UInt8], _ flow: Flow, _ all: inout SharedOutput
    ) -> Due {
        let isTooMuch = waitingOrderedBytes + frames.count > Limits.orderedBacklogBytesMax
        if isTooMuch, flow == .slow { return .overflow }
        take(&all, flow)
        waitingOrderedBytes += frames.count
        append(.ordered(frames))
        // Above the limit, frames are sent although the handler may still roll them back.
        return flow == .open || isTooMuch ? .now : .atEndOfTurn
    }

    /// A log's items before this number are due.
    public mutating func logGrew(
        _ key: StateKey, to end: UInt64, _ flow: Flow, _ all: inout SharedOutput
    ) -> Due {
        take(&all, flow)
        let log = logs[key] ?? LogCursor(next: 0)
        if let place = log.place, place >= tail || flow == .slow {
            // A slow front gets all of the log's items in one place.
            items[place - removed] = .log(key, end)
            return .atEndOfTurn
        }
        if log.place == nil { waitingLogs += 1 }
        logs[key] = LogCursor(next: log.next, place: removed + items.count)
        items.append(.log(key, end))
        // If the front keeps up, a state queued before the log is sent with its present value.
        return flow == .open && tail > removed + head ? .now : .atEndOfTurn
    }

    /// The front gets a log's items from this number on: it asked for them, or the former items
    /// were rolled back and their numbers are used again.
    public mutating func logContinues(_ key: StateKey, at number: UInt64) {
        logs[key, default: LogCursor(next: number)].next = number
    }

    public mutating func unmounted(where isGone: (UInt32) -> Bool) {
        guard !logs.isEmpty else { return }
        logs = logs.filter { !isGone($0.key.node) }
        waitingLogs = logs.values.count { $0.place != nil }
    }

    private mutating func append(_ item: Item) {
        items.append(item)
        tail = removed + items.count
    }

    // MARK: - Sending

    /// Removes and returns the next step; `nil` if there is nothing to send now.
    public mutating func next(_ flow: Flow, _ all: inout SharedOutput) -> Step? {
        if !isEmpty || flow != .open { take(&all, flow) }
        switch flow {
        case .open: break
        case .revocable:
            guard waitingOrderedBytes > Limits.orderedBacklogBytesMax else { return nil }
        case .slow: return nil
        }
        if skipped != Skipped() {
            // The report precedes the newest values of the skipped states.
            defer { skipped = Skipped() }
            return .skipped(skipped)
        }
        while head < items.count {
            if let step = step(items[head]) { return step }
        }
        return nextShared(&all)
    }

    private mutating func nextShared(_ all: inout SharedOutput) -> Step? {
        guard var mark = shared, let part = all.next(&mark) else { return nil }
        shared = mark
        all.taken(upTo: mark)
        switch part {
        case .effects(let range): return .effects(range)
        case .state(let key, let merges):
            mergedStates += merges
            return .state(key)
        }
    }

    private mutating func step(_ item: Item) -> Step? {
        let place = removed + head
        switch item {
        case .state(let key):
            if lateStates.contains(key) {
                // The log's items come first, although they were queued after the state.
                if let step = logStep(of: key.node) { return step }
                lateStates.remove(key)
            }
            waiting.remove(key)
            advance()
            return .state(key)
        case .mountedState(let key):
            waiting.remove(key)
            advance()
            return .state(key)
        case .log(let key, let end):
            advance()
            return logStep(key, upTo: end, at: place)
        case .effect(let frame):
            waitingEffects -= 1
            effectBytes -= frame.count
            advance()
            return .frames(frame)
        case .ordered(let frames):
            waitingOrderedBytes -= frames.count
            advance()
            return .frames(frames)
        case .withdrawn:
            advance()
            return nil
        }
    }

    private func waitingLog(of node: UInt32, after place: Int) -> StateKey? {
        logs.first { $0.key.node == node && $0.value.place ?? -1 > place }?.key
    }

    /// Takes the node's waiting logs out of turn, until one has unsent items.
    private mutating func logStep(of node: UInt32) -> Step? {
        while let key = waitingLog(of: node, after: removed + head), let place = logs[key]?.place,
            case .log(_, let end) = items[place - removed]
        {
            if let step = logStep(key, upTo: end, at: place) { return step }
        }
        return nil
    }

    /// Returns the log's unsent items, if there are any.
    private mutating func logStep(_ key: StateKey, upTo end: UInt64, at place: Int) -> Step? {
        guard var log = logs[key] else { return nil }
        if log.place == place {
            log.place = nil
            waitingLogs -= 1
        }
        let next = log.next
        log.next = max(next, end)
        logs[key] = log
        return next < end ? .log(key, next..<end) : nil
    }

    private mutating func advance() {
        head += 1
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
