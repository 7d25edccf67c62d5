// TransitionParts: a transition in as many frames as it takes, cut by its sender and put together
// again by its receiver.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value.
// Invariant  a part has at most `Limits.transitionPartBytesMax` bytes and one operation more; a
//            receiver applies nothing before the last part is there.
// Spec       Protocol/SPEC.md, section 6.13 (transition)

public import NapkinCoding

/// A transition that has been cut: frames to send in order, with states between the last two.
public struct TransitionParts: Equatable, Sendable {
    /// The operations of each frame. Each but the last says that more follows.
    public private(set) var parts: [[Transition.Operation]] = [[]]
    /// The states that are too large to go with their mounts. Each is a frame of its own, before
    /// the last part, with the newest value there is by then.
    public private(set) var states: [OutboundQueue.StateKey] = []
    /// Bytes of all of it, about; past `Limits.transitionBytesMax` no receiver takes it.
    public private(set) var byteCount = 0

    /// Cuts a batch. The states of a mount go with it up to `Limits.mountStatesBytesMax`.
    public init(_ operations: [Transition.Operation]) {
        var partBytes = 0
        for operation in operations {
            let whole = withoutLargeStates(operation)
            let bytes = whole.approximateByteCount
            if partBytes > 0, partBytes + bytes > Limits.transitionPartBytesMax {
                parts.append([])
                partBytes = 0
            }
            parts[parts.count - 1].append(whole)
            partBytes += bytes
            byteCount += bytes
        }
        if !states.isEmpty { parts.append([]) }
    }

    private mutating func withoutLargeStates(
        _ operation: Transition.Operation
    ) -> Transition.Operation {
        guard case .mount(var mount) = operation else { return operation }
        var room = Limits.mountStatesBytesMax
        mount.states.removeAll { state in
            guard state.payload.count > room else {
                room -= state.payload.count
                return false
            }
            byteCount += state.payload.count
            states.append(OutboundQueue.StateKey(node: mount.node, method: state.method))
            return true
        }
        return .mount(mount)
    }

    /// The operations with the states that go with their mounts.
    public var operations: [Transition.Operation] { parts.flatMap(\.self) }

    /// The parts as frames, each with its flags.
    ///
    /// Throws `lengthExceeded` where a name or an argument is larger than any frame.
    public func frames(flags: UInt8, epoch: UInt32) throws(CBORError) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for (index, part) in parts.enumerated() {
            let more = index < parts.count - 1 ? Transition.moreFlag : 0
            // Only the first forgets what was there.
            let own = index == 0 ? flags : flags & ~Transition.snapshotFlag
            let header = FrameHeader(.transition, flags: own | more, epoch: epoch)
            frames.append(
                try header.encoded { (writer) throws(CBORError) in
                    try writer.write(Transition(part))
                })
        }
        return frames
    }
}

extension Transition.Operation {
    /// The state's bytes in a frame, give or take a few.
    fileprivate var approximateByteCount: Int {
        guard case .mount(let mount) = self else { return 16 }
        return mount.states.reduce(128 + mount.arguments.count + mount.slot.utf8.count) {
            $0 + $1.payload.count + 8
        }
    }
}

/// Puts a transition together that comes in parts.
public struct TransitionAssembly: Equatable, Sendable {
    /// What to do with a part, or with a state that has come between two.
    public enum Action: Equatable, Sendable {
        /// Apply this as a whole.
        case apply(Transition, isSnapshot: Bool)
        /// More follows.
        case wait
        /// It does not belong to a transition that is under way.
        case deliver
        case violation(String)
    }

    private var operations: [Transition.Operation] = []
    private var isSnapshot = false
    /// Whether parts have come, and not the last one.
    public private(set) var isUnderWay = false
    private var byteCount = 0

    public init() {}

    /// A transition frame has arrived with these flags and so many bytes of payload.
    public mutating func partReceived(
        _ transition: Transition, flags: UInt8, byteCount: Int
    ) -> Action {
        let hasMore = flags & Transition.moreFlag != 0
        let beginsAnew = flags & Transition.snapshotFlag != 0
        guard hasMore || isUnderWay else { return .apply(transition, isSnapshot: beginsAnew) }
        if isUnderWay, beginsAnew { return .violation("a snapshot within a transition") }
        isSnapshot = isSnapshot || beginsAnew
        operations += transition.operations
        isUnderWay = hasMore
        if let violation = grown(by: byteCount) { return violation }
        guard !hasMore else { return .wait }
        defer { self = TransitionAssembly() }
        return .apply(Transition(operations), isSnapshot: isSnapshot)
    }

    /// A state frame has arrived.
    public mutating func stateReceived(
        _ key: OutboundQueue.StateKey, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        guard isUnderWay else { return .deliver }
        let place = operations.lastIndex { operation in
            if case .mount(let mount) = operation { mount.node == key.node } else { false }
        }
        guard let place, case .mount(var mount) = operations[place] else {
            // Of a node that was there before, and that stays.
            return isSnapshot ? .wait : .deliver
        }
        if let violation = grown(by: payload.count) { return violation }
        mount.states.removeAll { $0.method == key.method }
        mount.states.append(Mount.State(method: key.method, payload: Array(payload)))
        operations[place] = .mount(mount)
        return .wait
    }

    private mutating func grown(by bytes: Int) -> Action? {
        byteCount += bytes
        guard byteCount > Limits.transitionBytesMax else { return nil }
        return .violation("a transition of more than \(Limits.transitionBytesMax) bytes")
    }
}
