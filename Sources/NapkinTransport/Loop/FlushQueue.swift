// FlushQueue: who has output to write before the loop blocks.
//
// Layer      transport, loop. No libuv.
// Isolation  @MainActor (loop thread).
// Ownership  keeps each object alive from scheduling to its flush.
// Invariant  an object is waiting at most once; `others` holds everyone waiting but the newest.

/// Something that collects output during a turn of the loop and writes it at the turn's end.
@MainActor
public protocol Flushable: AnyObject {
    /// Writes what was collected. Called once for each turn in which it was scheduled.
    func flush()
}

/// The objects to flush, in the order they were scheduled.
@MainActor
struct FlushQueue {
    private var waiting: [any Flushable] = []
    private var spare: [any Flushable] = []
    private var others: Set<ObjectIdentifier> = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds the object unless it is waiting already. A single object a turn costs no hashing.
    mutating func insert(_ flushable: any Flushable) {
        if let newest = waiting.last {
            if newest === flushable || others.contains(ObjectIdentifier(flushable)) { return }
            others.insert(ObjectIdentifier(newest))
        }
        waiting.append(flushable)
    }

    /// Takes everyone who is waiting; return the array with ``reuse(_:)``.
    mutating func take() -> [any Flushable] {
        let taken = waiting
        waiting = spare
        spare = []
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
        return taken
    }

    /// Gives the memory of a taken array back, so that the next turn does not allocate.
    mutating func reuse(_ taken: consuming [any Flushable]) {
        taken.removeAll(keepingCapacity: true)
        spare = taken
    }
}
