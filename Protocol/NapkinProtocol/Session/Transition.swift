// Transition: one atomic batch of mounts and unmounts, in one or more frames.
//
// Invariant  a part has at most `Limits.transitionPartBytesMax` bytes and one operation more; a
//            receiver applies nothing before the last part has arrived.
// Spec       Protocol/SPEC.md, section 6.13 (transition)

public import NapkinCoding

/// One node to show, with the newest state of each of its methods.
public struct Mount: Equatable, Sendable {
    public var node: UInt32
    /// The parent's number; 0 for the root.
    public var parent: UInt32
    public var slot: String
    public var presentation: String
    public var feature: String
    /// The feature's arguments as one encoded item.
    public var arguments: [UInt8]
    /// The node's states, in the order in which each was first presented.
    public var states: [State]

    /// The newest value of one state method.
    public struct State: Equatable, Sendable {
        public var method: UInt32
        public var payload: [UInt8]

        public init(method: UInt32, payload: [UInt8]) {
            self.method = method
            self.payload = payload
        }
    }

    public init(
        node: UInt32, parent: UInt32, slot: String, presentation: String, feature: String,
        arguments: [UInt8], states: [State]
    ) {
        self.node = node
        self.parent = parent
        self.slot = slot
        self.presentation = presentation
        self.feature = feature
        self.arguments = arguments
        self.states = states
    }
}

/// A batch of operations, applied as a whole.
public struct Transition: Equatable, Sendable {
    /// One change of the tree.
    public enum Operation: Equatable, Sendable {
        case mount(Mount)
        /// Removes the node and everything below it.
        case unmount(UInt32)
    }

    public var operations: [Operation]

    public init(_ operations: [Operation]) { self.operations = operations }

    /// The header flag of a snapshot: the operations are the whole tree and replace every node.
    public static let snapshotFlag: UInt8 = 1
    /// The header flag of a part that is followed by another.
    public static let moreFlag: UInt8 = 2
}

extension Transition: DirectlyCodable {
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeArrayHeader(operations.count)
        for operation in operations {
            switch operation {
            case .mount(let mount): try mount.encode(into: &writer)
            case .unmount(let node):
                writer.writeMapHeader(1)
                writer.writeKey("unmount")
                try writer.write(node)
            }
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArrayHeader()
        operations = []
        operations.reserveCapacity(min(count, 64))
        for _ in 0..<count { operations.append(try Self.operation(from: &reader)) }
    }

    private static func operation(from reader: inout CBORReader) throws(CBORError) -> Operation {
        let start = reader.offset
        let fields = try OperationFields(from: &reader)
        switch (fields.unmount, fields.mount) {
        case (let node?, nil): return .unmount(node)
        case (nil, let node?):
            guard let feature = fields.feature else {
                throw CBORError(.missingField, at: start, "a mount without its feature")
            }
            return .mount(
                Mount(
                    node: node, parent: fields.parent, slot: fields.slot,
                    presentation: fields.presentation, feature: feature,
                    arguments: fields.arguments, states: fields.states))
        case (nil, nil): throw CBORError(.missingField, at: start, "neither a mount nor an unmount")
        case (_?, _?):
            throw CBORError(.unknownCase, at: start, "a mount and an unmount in one operation")
        }
    }
}

extension Mount {
    func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(arguments.isEmpty ? 6 : 7)
        writer.writeKey("mount")
        try writer.write(node)
        writer.writeKey("parent")
        try writer.write(parent)
        writer.writeKey("slot")
        try writer.write(slot)
        writer.writeKey("presentation")
        try writer.write(presentation)
        writer.writeKey("feature")
        try writer.write(feature)
        if !arguments.isEmpty {
            writer.writeKey("arguments")
            writer.append(arguments)
        }
        writer.writeKey("states")
        writer.writeArrayHeader(states.count)
        for state in states {
            writer.writeArrayHeader(state.payload.isEmpty ? 1 : 2)
            try writer.write(state.method)
            writer.append(state.payload)
        }
    }
}

/// A transition cut into parts: frames to send in order, with states between the last two.
public struct TransitionParts: Equatable, Sendable {
    /// The operations of each frame. Every part but the last says that more follows.
    public private(set) var parts: [[Transition.Operation]] = [[]]
    /// The states that are too large to travel with their mounts. Each is sent in a separate frame
    /// before the last part, with its newest value at that time.
    public private(set) var states: [StateKey] = []
    /// Approximate bytes of the whole transition; above `Limits.transitionBytesMax` no receiver
    /// accepts it.
    public private(set) var byteCount = 0

    /// Cuts a batch into parts. A mount carries at most `Limits.mountStatesBytesMax` of its states.
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
            states.append(StateKey(node: mount.node, method: state.method))
            return true
        }
        return .mount(mount)
    }

    /// All operations, with the states that travel with their mounts.
    public var operations: [Transition.Operation] { parts.flatMap(\.self) }

    /// Returns the parts as frames, each with its flags.
    ///
    /// Throws `lengthExceeded` if a name or an argument is larger than any frame.
    public func frames(flags: UInt8, epoch: UInt32) throws(CBORError) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for (index, part) in parts.enumerated() {
            let more = index < parts.count - 1 ? Transition.moreFlag : 0
            // Only the first part removes the former tree.
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
    /// The approximate bytes of the operation in a frame.
    fileprivate var approximateByteCount: Int {
        guard case .mount(let mount) = self else { return 16 }
        return mount.states.reduce(128 + mount.arguments.count + mount.slot.utf8.count) {
            $0 + $1.payload.count + 8
        }
    }
}

/// Assembles a transition that arrives in parts.
public struct TransitionAssembly: Equatable, Sendable {
    /// The action to take for a part, or for a state that arrived between two parts.
    public enum Action: Equatable, Sendable {
        /// Apply this transition as a whole.
        case apply(Transition, isSnapshot: Bool)
        /// Wait: more parts follow.
        case wait
        /// Deliver the state: it does not belong to a transition under way.
        case deliver
        case violation(String)
    }

    private var operations: [Transition.Operation] = []
    private var isSnapshot = false
    /// Whether some parts have arrived, but not the last one.
    public private(set) var isUnderWay = false
    private var byteCount = 0

    public init() {}

    /// A transition frame has arrived, with these flags and this many bytes of payload.
    public mutating func partReceived(
        _ transition: Transition, flags: UInt8, byteCount: Int
    ) -> Action {
        let hasMore = flags & Transition.moreFlag != 0
        let startsSnapshot = flags & Transition.snapshotFlag != 0
        guard hasMore || isUnderWay else { return .apply(transition, isSnapshot: startsSnapshot) }
        if isUnderWay, startsSnapshot { return .violation("a snapshot within a transition") }
        isSnapshot = isSnapshot || startsSnapshot
        operations += transition.operations
        isUnderWay = hasMore
        if let violation = grown(by: byteCount) { return violation }
        guard !hasMore else { return .wait }
        defer { self = TransitionAssembly() }
        return .apply(Transition(operations), isSnapshot: isSnapshot)
    }

    /// A state frame has arrived.
    public mutating func stateReceived(
        _ key: StateKey, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        guard isUnderWay else { return .deliver }
        let place = operations.lastIndex { operation in
            if case .mount(let mount) = operation { mount.node == key.node } else { false }
        }
        guard let place, case .mount(var mount) = operations[place] else {
            // The node was mounted before. It stays, unless a snapshot replaces it.
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

/// The fields of a mount or an unmount, read in any order, with defaults for absent ones.
///
/// The transition's own levels of nesting are not counted: a state that fits into a separate frame
/// also fits into a snapshot.
struct OperationFields {
    private(set) var unmount: UInt32?
    private(set) var mount: UInt32?
    private(set) var parent: UInt32 = 0
    private(set) var slot = ""
    private(set) var presentation = "embed"
    private(set) var feature: String?
    private(set) var arguments: [UInt8] = []
    private(set) var states: [Mount.State] = []
    /// Bit i: the key of `Key(rawValue: i)` has been read.
    private var seen: UInt8 = 0

    private enum Key: UInt8 {
        case unmount, mount, parent, slot, presentation, feature, arguments, states
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        let entries = try reader.readMapHeader()
        for _ in 0..<entries {
            let start = reader.offset
            guard let key = Self.key(from: &reader) else {
                _ = try reader.readKey()
                try reader.skip()
                continue
            }
            let bit: UInt8 = 1 << key.rawValue
            guard seen & bit == 0 else {
                throw CBORError(.duplicateKey, at: start, "\(key) twice in one operation")
            }
            seen |= bit
            try read(key, from: &reader)
        }
    }

    /// Consumes the next key if it is known; otherwise leaves the reader where it is. The keys are
    /// tried in the order in which they are written.
    private static func key(from reader: inout CBORReader) -> Key? {
        if reader.matchKey("mount") { return .mount }
        if reader.matchKey("parent") { return .parent }
        if reader.matchKey("slot") { return .slot }
        if reader.matchKey("presentation") { return .presentation }
        if reader.matchKey("feature") { return .feature }
        if reader.matchKey("arguments") { return .arguments }
        if reader.matchKey("states") { return .states }
        if reader.matchKey("unmount") { return .unmount }
        return nil
    }

    private mutating func read(_ key: Key, from reader: inout CBORReader) throws(CBORError) {
        // Null means that an optional field is absent; as arguments, it is an ordinary item.
        switch key {
        case .unmount: unmount = try Self.node(from: &reader)
        case .mount: mount = try Self.node(from: &reader)
        case .parent: parent = try reader.read(UInt32?.self) ?? 0
        case .slot: slot = try reader.read(String?.self) ?? ""
        case .presentation: presentation = try reader.read(String?.self) ?? "embed"
        case .feature: feature = try reader.read(String.self)
        case .arguments: arguments = Array(try reader.rawItem())
        case .states: states = reader.readNull() ? [] : try Self.states(from: &reader)
        }
    }

    private static func node(from reader: inout CBORReader) throws(CBORError) -> UInt32 {
        let start = reader.offset
        let node = try reader.read(UInt32.self)
        guard node != 0 else { throw CBORError(.outOfRange, at: start, "there is no node 0") }
        return node
    }

    private static func states(from reader: inout CBORReader) throws(CBORError) -> [Mount.State] {
        let count = try reader.readArrayHeader()
        var states: [Mount.State] = []
        for _ in 0..<count {
            let start = reader.offset
            let parts = try reader.readArrayHeader()
            guard parts == 1 || parts == 2 else {
                throw CBORError(.typeMismatch, at: start, "a state is [method] or [method, value]")
            }
            let method = try reader.read(UInt32.self)
            let payload = parts == 2 ? Array(try reader.rawItem()) : []
            states.append(Mount.State(method: method, payload: payload))
        }
        return states
    }
}
