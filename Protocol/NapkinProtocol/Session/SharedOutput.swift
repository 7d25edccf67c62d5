// SharedOutput: the states and effects that must be sent to all fronts of a session, kept once; the
// keys of states.
//
// Ownership  kept by the session's stage. Each front's `Output` marks how much the front has taken.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// The states and effects that are sent to all fronts at the end of the turn. If a front must be
/// sent something else earlier, it is sent these first, or takes them into its own queue.
public struct SharedOutput: Hashable, Sendable {
    /// A front's position in the shared output.
    public struct Mark: Hashable, Sendable {
        @usableFromInline var states = 0
        @usableFromInline var effects = 0

        @inlinable public init() {}

        @inlinable public var isStart: Bool { states == 0 && effects == 0 }
    }

    /// The next thing to send.
    public enum Part: Equatable, Sendable {
        /// A state, with the number of later changes merged into it.
        case state(StateKey, merges: Int)
        /// Effects, one after another.
        case effects(Range<Int>)
    }

    private struct State: Hashable {
        let key: StateKey
        /// The number of effects before it.
        let effects: Int
        var merges = 0
    }

    /// Effects are written as soon as they reach this many bytes. Chosen: as many as a front reads
    /// at once.
    public static let effectBytesMax = 65_536
    /// Places kept for the next turn, for states and for effects. Chosen: enough for most turns.
    private static let keptPlacesMax = 64

    private var states: [State] = []
    /// The effects' frames, one after another, and the end of each.
    private var effects: [UInt8] = []
    private var ends: [Int] = []
    /// The same frames as separate arrays, up to the last one that a queue has needed.
    private var frames: [[UInt8]] = []
    /// The number of states that some front has taken. If one of them changes, it is queued again.
    private var takenStates = 0
    @usableFromInline var end = Mark()

    public init() {}

    @inlinable public var isEmpty: Bool { end.isStart }
    @inlinable public var hasStates: Bool { end.states > 0 }
    public var effectBytes: Int { effects.count }

    /// A state has changed. Returns false if it is already waiting.
    public mutating func stateChanged(_ key: StateKey) -> Bool {
        if let index = states[takenStates...].firstIndex(where: { $0.key == key }) {
            states[index].merges += 1
            return false
        }
        states.append(State(key: key, effects: ends.count))
        end.states += 1
        return true
    }

    public mutating func effectPresented(_ frame: UnsafeRawBufferPointer) {
        effects.append(contentsOf: frame)
        ends.append(effects.count)
        end.effects += 1
    }

    /// Returns the part after a mark, and moves the mark past it.
    public func next(_ mark: inout Mark) -> Part? {
        let state = mark.states < states.count ? states[mark.states] : nil
        let before = state?.effects ?? ends.count
        if mark.effects < before {
            defer { mark.effects = before }
            return .effects(mark.effects..<before)
        }
        guard let state else { return nil }
        mark.states += 1
        return .state(state.key, merges: state.merges)
    }

    /// Whether the state before a mark is also in an earlier place: a front that takes both now
    /// needs only the first.
    public func isRepeated(before mark: Mark) -> Bool {
        guard takenStates > 0 else { return false }
        return states[..<(mark.states - 1)].contains { $0.key == states[mark.states - 1].key }
    }

    /// Calls `body` with the frames of the effects, one after another.
    public func withEffects(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard !range.isEmpty else { return }
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        let bytes = start..<ends[range.upperBound - 1]
        effects.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[bytes])) }
    }

    /// Returns the frame of an effect, which all queues share.
    mutating func frame(_ index: Int) -> [UInt8] {
        while frames.count <= index {
            var frame: [UInt8] = []
            withEffects(frames.count..<frames.count + 1) { frame = Array($0) }
            frames.append(frame)
        }
        return frames[index]
    }

    mutating func taken(upTo mark: Mark) { takenStates = max(takenStates, mark.states) }

    /// All fronts have taken everything.
    public mutating func removeAll() {
        states.removeAll(keepingCapacity: states.count <= Self.keptPlacesMax)
        effects = []
        ends.removeAll(keepingCapacity: ends.count <= Self.keptPlacesMax)
        frames.removeAll()
        takenStates = 0
        end = Mark()
    }
}

/// Identifies a state or a log. Its newest value or items are looked up at the time of sending.
public struct StateKey: Hashable, Sendable {
    public var node: UInt32
    public var method: UInt32

    public init(node: UInt32, method: UInt32) {
        self.node = node
        self.method = method
    }
}

/// The waiting states, each with its place. Comparing a few costs less than hashing one (measured).
struct StateKeys: Hashable {
    private struct Waiting: Hashable {
        let key: StateKey
        let place: Int
    }

    private static let fewMax = 8
    private var few: [Waiting] = []
    /// All waiting states, while there are more than `fewMax`.
    private var many: [StateKey: Int] = [:]

    var count: Int { few.count + many.count }

    /// Returns the key's place if it is already waiting.
    mutating func insert(_ key: StateKey, at place: Int) -> Int? {
        if many.isEmpty {
            if let known = few.first(where: { $0.key == key }) { return known.place }
            few.append(Waiting(key: key, place: place))
            guard few.count > Self.fewMax else { return nil }
            for waiting in few { many[waiting.key] = waiting.place }
            few = []
            return nil
        }
        if let known = many[key] { return known }
        many[key] = place
        return nil
    }

    mutating func remove(_ key: StateKey) {
        if !many.isEmpty {
            many[key] = nil
        } else if let index = few.firstIndex(where: { $0.key == key }) {
            few.remove(at: index)
        }
    }
}
