// SentStates: the large states that a front has, so that only differences need to be sent.
//
// Isolation  @MainActor; SentStates is a value owned by one front's seat.
// Ownership  keeps the bytes of the values sent last; fronts with the same value share them with
//            each other and, while it is the newest, with the node.
// Spec       Protocol/SPEC.md, section 6 (Messages): stateDelta

import NapkinCore
import NapkinProtocol

/// The large states that a connection has carried, as they were sent last.
struct SentStates {
    private var values: [UInt32: [UInt32: Payload]] = [:]

    var isEmpty: Bool { values.isEmpty }

    /// Records the states that a front receives with a node's mount.
    mutating func mounted(_ mount: Mount) {
        for state in mount.states { sent(Payload(state.payload), mount.node, state.method) }
    }

    mutating func unmounted(where isGone: (UInt32) -> Bool) {
        if !values.isEmpty { values = values.filter { !isGone($0.key) } }
    }

    /// Records a sent value, and returns the front's former one, if both are large.
    @discardableResult
    mutating func sent(_ payload: Payload, _ node: UInt32, _ method: UInt32) -> Payload? {
        let isLarge = payload.bytes.count >= Limits.deltaStateBytesMin
        guard isLarge else {
            if !values.isEmpty { values[node]?[method] = nil }
            return nil
        }
        return values[node, default: [:]].updateValue(payload, forKey: method)
    }
}

/// The newest delta of each state, computed once for all fronts that have the same value.
@MainActor
final class DeltaCache {
    private struct Entry {
        let old: Payload
        let new: Payload
        let delta: [UInt8]?
    }

    private var entries: [UInt32: [UInt32: Entry]] = [:]
    /// The number of deltas computed because the cache lacked them.
    private(set) var madeCount = 0

    /// Returns the delta between two values; `nil` if the whole value is as short.
    func delta(
        from old: Payload, to new: Payload, _ node: UInt32, _ method: UInt32
    ) -> [UInt8]? {
        if let entry = entries[node]?[method], entry.old.isSame(as: old), entry.new.isSame(as: new)
        {
            return entry.delta
        }
        let delta = CBORDelta.encoded(from: old.bytes, to: new.bytes)
        madeCount += 1
        entries[node, default: [:]][method] = Entry(old: old, new: new, delta: delta)
        return delta
    }

    func unmounted(where isGone: (UInt32) -> Bool) {
        if !entries.isEmpty { entries = entries.filter { !isGone($0.key) } }
    }
}

extension Payload {
    /// Whether both have the same bytes in the same memory.
    fileprivate func isSame(as other: Payload) -> Bool {
        bytes.count == other.bytes.count
            && bytes.withUnsafeBytes(\.baseAddress) == other.bytes.withUnsafeBytes(\.baseAddress)
    }
}
