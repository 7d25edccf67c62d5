// FlushQueue: who has output to write before the loop blocks.
//
// Layer      transport, loop. No libuv.
// Isolation  @MainActor (loop thread).
// Ownership  keeps each object alive from scheduling to its flush.
// Invariant  an object is waiting at most once; `others` is empty unless `first` waits; `members`
//            holds everyone waiting, if that is more than one.

/// Something that collects output during a turn of the loop and writes it at the turn's end.
@MainActor
public protocol Flushable: AnyObject {
    /// Writes what was collected. Called once for each turn in which it was scheduled.
    func flush()
}

/// The objects to flush, in the order they were scheduled.
@MainActor
struct FlushQueue {
    private var first: (any Flushable)?
    private var others: [any Flushable] = []
    private var members: Set<ObjectIdentifier> = []

    var isEmpty: Bool { first == nil }

    /// Adds the object unless it is waiting already. A single object a turn costs no hashing.
    mutating func insert(_ flushable: any Flushable) {
        guard let first else {
            self.first = flushable
            return
        }
        if first === flushable { return }
        if members.isEmpty { members.insert(ObjectIdentifier(first)) }
        if members.insert(ObjectIdentifier(flushable)).inserted { others.append(flushable) }
    }

    /// Takes the one object that waits; `nil` if it is not exactly one.
    mutating func takeOnly() -> (any Flushable)? {
        guard others.isEmpty else { return nil }
        return first.take()
    }

    /// Takes everyone who is waiting.
    mutating func takeAll() -> [any Flushable] {
        guard let first = first.take() else { return [] }
        let all = [first] + others
        others.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
        return all
    }
}
