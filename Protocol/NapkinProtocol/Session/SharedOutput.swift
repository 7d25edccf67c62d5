// SharedOutput: what all fronts of a session are owed at the end of the turn, kept once.
//
// Ownership  kept by the session. Each front's `Output` says how much of it the front has taken.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// The states and effects that all fronts are sent at the end of the turn. A front that is to be
/// sent something else before that is sent these first, or takes them into its own queue.
public struct SharedOutput: Hashable, Sendable {
    /// How much of it a front has taken.
    public struct Mark: Hashable, Sendable {
        @usableFromInline var states = 0
        @usableFromInline var effects = 0

        @inlinable public init() {}

        @inlinable public var isStart: Bool { states == 0 && effects == 0 }
    }

    /// What comes next in it.
    public enum Part: Equatable, Sendable {
        /// A state, and how often it has changed once more.
        case state(StateKey, merges: Int)
        /// Effects, one after another.
        case effects(Range<Int>)
    }

    private struct State: Hashable {
        let key: StateKey
        /// How many effects come before it.
        let effects: Int
        var merges = 0
    }

    /// Effects are written as soon as they have so many bytes together. Chosen: what a front reads
    /// at once.
    public static let effectBytesMax = 65_536
    /// Places of states and of effects that are kept for the next turn. Chosen: what a turn mostly
    /// needs.
    private static let keptPlacesMax = 64

    private var states: [State] = []
    /// The frames of the effects, one after another, and where each of them ends.
    private var effects: [UInt8] = []
    private var ends: [Int] = []
    /// The same frames, one by one, as far as a queue has needed them.
    private var frames: [[UInt8]] = []
    /// The states that some front has taken: one of them that changes once more is new.
    private var takenStates = 0
    @usableFromInline var end = Mark()

    public init() {}

    @inlinable public var isEmpty: Bool { end.isStart }
    @inlinable public var hasStates: Bool { end.states > 0 }
    public var effectBytes: Int { effects.count }

    /// A state has changed. Returns false if it waits already.
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

    /// Returns what comes after a mark, and moves the mark behind it.
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

    /// Whether the state before a mark was in an earlier place, too: a front that takes both now
    /// needs the first only.
    public func isRepeated(before mark: Mark) -> Bool {
        guard takenStates > 0 else { return false }
        return states[..<(mark.states - 1)].contains { $0.key == states[mark.states - 1].key }
    }

    /// Passes on the frames of effects, one after another.
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
