// SessionHost+Shared: what all fronts see is encoded once, and written at once to those that wait
// for nothing else.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinProtocol
public import NapkinTransport

/// The states and effects that all fronts are sent at the end of the turn. A front that is to be
/// sent something else before that takes them into its own queue first: its order stays.
@MainActor
struct SharedOutput: ~Copyable {
    /// How much of it a front has taken.
    struct Mark: Equatable {
        var states = 0
        var effects = 0
    }

    fileprivate struct State {
        let key: OutboundQueue.StateKey
        /// How many effects come before it.
        let effects: Int
        /// How often it has changed once more.
        var merges = 0
    }

    /// Effects are written as soon as they have so many bytes together. Chosen: what a front reads
    /// at once.
    static let effectBytesMax = 65_536
    /// What a session may keep for the next turn: bytes, and places of states and of effects.
    /// Chosen: what a turn mostly needs.
    static let keptBytesMax = 4096
    private static let keptPlacesMax = 64
    /// Fronts that are looked at before they are written to. A processor fetches what it needs for
    /// some of them at the same time, but not across a system call. Chosen: as many as a word has
    /// bits.
    static let frontsAtOnce = 64

    fileprivate var states: [State] = []
    /// The frames of the effects, one after another, and where each of them ends.
    fileprivate var effects = CBORWriter(capacity: 0)
    fileprivate var ends: [Int] = []
    /// The same frames, one by one, as far as a queue has needed them.
    private var frames: [[UInt8]] = []
    /// The fronts that have taken something.
    private var takers: [FrontSeat] = []
    /// How much some front has taken: a state among it that changes once more is new.
    private var taken = Mark()

    var isEmpty: Bool { states.isEmpty && ends.isEmpty }
    fileprivate var all: Mark { Mark(states: states.count, effects: ends.count) }

    /// Returns false if the state waits already.
    fileprivate mutating func insert(_ key: OutboundQueue.StateKey) -> Bool {
        if let index = states[taken.states...].firstIndex(where: { $0.key == key }) {
            states[index].merges += 1
            return false
        }
        states.append(State(key: key, effects: ends.count))
        return true
    }

    fileprivate mutating func append(_ effect: UnsafeRawBufferPointer) {
        effects.append(effect)
        ends.append(effects.count)
    }

    /// Whether a front that takes everything now has had a state of that place before.
    fileprivate func isRepeated(_ index: Int) -> Bool {
        taken.states > 0 && states[..<index].contains { $0.key == states[index].key }
    }

    /// Passes on the frames of effects, one after another.
    fileprivate func withEffects(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard !range.isEmpty else { return }
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        let bytes = start..<ends[range.upperBound - 1]
        effects.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[bytes])) }
    }

    /// Returns the frame of an effect, which all queues share.
    fileprivate mutating func frame(_ index: Int) -> [UInt8] {
        while frames.count <= index {
            var frame: [UInt8] = []
            withEffects(frames.count..<frames.count + 1) { frame = Array($0) }
            frames.append(frame)
        }
        return frames[index]
    }

    fileprivate mutating func take(for front: FrontSeat) {
        if front.sharedTaken == Mark() { takers.append(front) }
        front.sharedTaken = all
        taken = all
    }

    fileprivate mutating func removeAll() {
        for front in takers { front.sharedTaken = Mark() }
        takers.removeAll()
        states.removeAll(keepingCapacity: states.count <= Self.keptPlacesMax)
        _ = effects.removeAll(freeingUpTo: .max)
        ends.removeAll(keepingCapacity: ends.count <= Self.keptPlacesMax)
        frames.removeAll()
        taken = Mark()
    }
}

extension SessionHost: Flushable {
    /// A state has changed that all fronts see.
    func share(_ key: OutboundQueue.StateKey) {
        guard !fronts.isEmpty, shared.insert(key), !isFlushScheduled else { return }
        Loop.shared.scheduleFlush(self)
    }

    /// All fronts are sent the effect that is encoded.
    func shareEncoded() {
        encoded.withUnsafeBytes { shared.append($0) }
        if shared.effects.count >= SharedOutput.effectBytesMax {
            flush()
        } else if !isFlushScheduled {
            Loop.shared.scheduleFlush(self)
        }
    }

    public func flush() {
        guard !shared.isEmpty else { return }
        if let merged = encodeShared() {
            encoded.withUnsafeBytes { write($0, merged) }
        } else {
            for front in fronts { front.takeShared() }
        }
        shared.removeAll()
        // A session at rest has little memory for it.
        if encoded.capacity > SharedOutput.keptBytesMax { _ = encoded.removeAll(freeingUpTo: .max) }
    }

    /// Writes frames to all fronts that wait for nothing.
    private func write(_ frames: UnsafeRawBufferPointer, _ merged: Int) {
        // Which keeps them.
        let fronts = fronts
        for start in stride(from: 0, to: fronts.count, by: SharedOutput.frontsAtOnce) {
            let some = start..<min(start + SharedOutput.frontsAtOnce, fronts.count)
            var waiting: UInt64 = 0
            // SAFETY: this function keeps the fronts.
            for index in some {
                let waits = withUnretained(fronts[index]) { $0.waits(for: frames.count) }
                if waits { waiting |= 1 << UInt64(index - start) }
            }
            for index in some {
                withUnretained(fronts[index]) { front in
                    if waiting >> UInt64(index - start) & 1 == 0 {
                        front.writeNow(frames, merged)
                    } else {
                        front.takeShared()
                    }
                }
            }
        }
    }

    /// Encodes all of it; returns how many states that saves, or `nil` if a front might get one in
    /// another form, or all at once would be too much.
    private func encodeShared() -> Int? {
        guard activeLedger == nil, observer == nil,
            shared.effects.count <= Limits.slowFrontBytes
        else { return nil }
        encoded.removeAll()
        var (effects, merged) = (0, 0)
        for (index, state) in shared.states.enumerated() {
            shared.withEffects(effects..<state.effects) { encoded.append($0) }
            effects = state.effects
            merged += state.merges
            // It is sent as it is now, in its first place.
            if shared.isRepeated(index) {
                merged += 1
                continue
            }
            let key = state.key
            guard let node = node(key.node),
                let payload = node.payload(of: MethodID(rawValue: key.method)),
                payload.bytes.count < Limits.deltaStateBytesMin
            else { return nil }
            let header = FrameHeader(
                .state, node: key.node, epoch: epoch, method: key.method)
            do {
                try header.write(into: &encoded) { (writer) throws(CBORError) in
                    writer.append(payload.bytes)
                }
            } catch {
                // Each front's own queue reports it.
                return nil
            }
        }
        shared.withEffects(effects..<shared.ends.count) { encoded.append($0) }
        return encoded.count <= Limits.slowFrontBytes ? merged : nil
    }

    /// The front is sent the tree as it is now.
    func shown(to front: FrontSeat) {
        if !shared.isEmpty { shared.take(for: front) }
    }
}

extension FrontSeat {
    /// A state has changed. Its newest value is sent at the end of the tick, or once the front
    /// catches up.
    func stateChanged(_ key: OutboundQueue.StateKey) {
        if !session.shared.isEmpty { takeShared() }
        queueState(key)
    }

    /// - Parameter merged: how often it has changed before it was offered.
    private func queueState(_ key: OutboundQueue.StateKey, _ merged: Int = 0) {
        guard let link else { return }
        let isNew = queue.offerState(key) == .queued
        queue.mergedStates += merged
        if isNew { link.requestFlush() }
        if link.isSlow { skipped.states += isNew ? merged : merged + 1 }
    }

    /// Takes what all fronts are about to be sent into its own queue.
    @inline(never)
    func takeShared() {
        let (start, end) = (sharedTaken, session.shared.all)
        // Who is not shown the tree yet gets it with its states.
        guard start != end, listedAudience != nil else { return }
        session.shared.take(for: self)
        var effects = start.effects
        for index in start.states..<end.states {
            let state = session.shared.states[index]
            take(effects: effects..<state.effects)
            effects = state.effects
            queueState(state.key, state.merges)
        }
        take(effects: effects..<end.effects)
    }

    private func take(effects: Range<Int>) {
        var isSent = false
        session.shared.withEffects(effects) { isSent = sendsNow($0) }
        if isSent { return }
        for index in effects { queueEffect(session.shared.frame(index)) }
    }

    /// Whether something else has to be sent before `count` bytes of frames that all are sent.
    @inline(__always)
    fileprivate func waits(for count: Int) -> Bool {
        // What it has missed is told first, and a difference of a state would not fit any more.
        guard link != nil, sharedTaken == SharedOutput.Mark(), queue.isEmpty, skipped == Skipped(),
            session.shared.states.isEmpty || sent?.isEmpty != false
        else { return true }
        // SAFETY: the seat keeps its link.
        return withUnretained(link) { !$0.takesNow(count) }
    }

    @inline(__always)
    fileprivate func writeNow(_ frames: UnsafeRawBufferPointer, _ merged: Int) {
        queue.mergedStates += merged
        // SAFETY: the seat keeps its link, which it has: it does not wait.
        withUnretained(link) { $0.channel.write(frames) }
    }
}
