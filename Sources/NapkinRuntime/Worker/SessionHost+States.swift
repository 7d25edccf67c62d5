// SessionHost+States: a state that all fronts see is encoded once, and written at once to those
// that wait for nothing else.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinProtocol
public import NapkinTransport

/// The states that all fronts are sent at the end of the turn. A front that is to be sent something
/// else before that takes them into its own queue first: its order stays.
@MainActor
struct SharedStates {
    fileprivate var keys: [OutboundQueue.StateKey] = []
    /// How often each of them has changed once more.
    fileprivate var merges: [Int] = []
    /// The fronts that have taken states, each of them the first `sharedTaken`.
    fileprivate var takers: [FrontSeat] = []
    /// How many keys some front has taken: a state among them that changes once more is new.
    fileprivate var takenCount = 0

    var isEmpty: Bool { keys.isEmpty }

    /// Returns false if the state waits already.
    fileprivate mutating func insert(_ key: OutboundQueue.StateKey) -> Bool {
        if let index = keys[takenCount...].firstIndex(of: key) {
            merges[index] += 1
            return false
        }
        keys.append(key)
        merges.append(0)
        return true
    }

    fileprivate mutating func removeAll() {
        for front in takers { front.sharedTaken = 0 }
        takers.removeAll()
        keys.removeAll(keepingCapacity: true)
        merges.removeAll(keepingCapacity: true)
        takenCount = 0
    }
}

extension SessionHost: Flushable {
    /// A state has changed that all fronts see.
    func share(_ key: OutboundQueue.StateKey) {
        guard !fronts.isEmpty, shared.insert(key), !isFlushScheduled else { return }
        Loop.shared.scheduleFlush(self)
    }

    public func flush() {
        if encodesShared() {
            encoded.withUnsafeBytes { frames in
                let merged = shared.merges.reduce(0, +)
                for front in fronts where !front.writesNow(frames, merged) { front.takeShared() }
            }
        } else {
            for front in fronts { front.takeShared() }
        }
        shared.removeAll()
    }

    /// Returns false if a front might get a state in another form.
    private func encodesShared() -> Bool {
        guard activeLedger == nil, observer == nil else { return false }
        encoded.removeAll()
        for (index, key) in shared.keys.enumerated() {
            // What has changed once more after a front had taken it.
            if shared.keys[(index + 1)...].contains(key) { continue }
            guard let node = node(key.node),
                let payload = node.payload(of: MethodID(rawValue: key.method)),
                payload.bytes.count < Limits.deltaStateBytesMin
            else { return false }
            let header = FrameHeader(
                .state, node: key.node, epoch: epoch, method: key.method)
            do {
                try header.write(into: &encoded) { (writer) throws(CBORError) in
                    writer.append(payload.bytes)
                }
            } catch {
                // Each front's own queue reports it.
                return false
            }
        }
        return encoded.count <= Limits.slowFrontBytes
    }

    /// The front is sent the tree as it is now.
    func shown(to front: FrontSeat) {
        if !shared.isEmpty { sharedTaken(by: front) }
    }

    fileprivate func sharedTaken(by front: FrontSeat) {
        if front.sharedTaken == 0 { shared.takers.append(front) }
        front.sharedTaken = shared.keys.count
        shared.takenCount = shared.keys.count
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
    func queueState(_ key: OutboundQueue.StateKey, _ merged: Int = 0) {
        guard let link else { return }
        let isNew = queue.offerState(key) == .queued
        queue.mergedStates += merged
        if isNew { link.requestFlush() }
        if link.isSlow { skipped.states += isNew ? merged : merged + 1 }
    }

    /// Takes the states that all fronts are about to be sent into its own queue.
    @inline(never)
    func takeShared() {
        let taken = sharedTaken..<session.shared.keys.count
        // Who is not shown the tree yet gets it with its states.
        guard !taken.isEmpty, listedAudience != nil else { return }
        session.sharedTaken(by: self)
        for index in taken { queueState(session.shared.keys[index], session.shared.merges[index]) }
    }

    /// Writes frames that all fronts are sent, if this one waits for nothing; whether it has.
    fileprivate func writesNow(_ frames: UnsafeRawBufferPointer, _ merged: Int) -> Bool {
        // What it has missed is told first, and a difference of a state would not fit any more.
        guard let link, sharedTaken == 0, queue.isEmpty, skipped == Skipped(),
            sent?.isEmpty != false, link.writesNow(frames)
        else { return false }
        queue.mergedStates += merged
        return true
    }
}
