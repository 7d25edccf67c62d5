// JobQueue: jobs of the Swift runtime in the order they came.
//
// Layer      transport, loop. No libuv, no locks.
// Isolation  value; LoopExecutor owns one per side of its door.
// Ownership  a ring that doubles when full and is never given back: it lives as long as the loop.
// Invariant  count <= capacity; capacity is a power of two; jobs are run once, by who pops them.

/// A first-in, first-out ring of jobs: no allocation in the steady state.
struct JobQueue: ~Copyable {
    /// Jobs held before the first growth. Chosen: 2 KiB.
    private static let initialCapacity = 256

    private var ring: UnsafeMutablePointer<UnownedJob>
    private var capacity: Int
    private var head = 0
    private(set) var count = 0

    init() {
        capacity = Self.initialCapacity
        ring = .allocate(capacity: capacity)
    }

    deinit { ring.deallocate() }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: UnownedJob) {
        if count == capacity { grow() }
        (ring + ((head &+ count) & (capacity &- 1))).initialize(to: job)
        count &+= 1
    }

    mutating func popFirst() -> UnownedJob? {
        guard count > 0 else { return nil }
        let job = ring[head]
        head = (head &+ 1) & (capacity &- 1)
        count &-= 1
        return job
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<UnownedJob>.allocate(capacity: capacity * 2)
        for index in 0..<count {
            (larger + index).initialize(to: ring[(head + index) & (capacity - 1)])
        }
        ring.deallocate()
        ring = larger
        capacity *= 2
        head = 0
    }
}
