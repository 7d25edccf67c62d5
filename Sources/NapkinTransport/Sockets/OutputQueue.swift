// OutputQueue: bytes that the kernel has not taken yet.
//
// Layer      transport, sockets. No libuv.
// Isolation  value; part of one Channel (loop thread).
// Ownership  two blocks of memory: one that libuv is writing from and must not move, one that
//            grows meanwhile. Freed when the queue runs empty and they are large, and at the end.
// Invariant  bytes leave in the order they came; `flight` does not change while isFlying.

struct OutputQueue: ~Copyable {
    /// A block larger than this is given back when the queue runs empty. Chosen: one read buffer.
    private static let keptBytesMax = 65_536

    private struct Block: ~Copyable {
        var base: UnsafeMutableRawPointer?
        var count = 0
        var capacity = 0

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress else { return }
            if count + bytes.count > capacity { grow(to: count + bytes.count) }
            base?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
            count += bytes.count
        }

        private mutating func grow(to needed: Int) {
            let larger = max(needed, capacity * 2, 4096)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            if let base {
                moved.copyMemory(from: base, byteCount: count)
                base.deallocate()
            }
            base = moved
            capacity = larger
        }

        mutating func release() {
            base?.deallocate()
            (base, count, capacity) = (nil, 0, 0)
        }

        deinit { base?.deallocate() }
    }

    private var flight = Block()
    private var waiting = Block()
    private(set) var isFlying = false

    var waitingCount: Int { waiting.count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { waiting.append(bytes) }

    /// Hands out all that waits; it stays where it is until ``land()``. Nil if nothing waits.
    mutating func takeOff() -> UnsafeRawBufferPointer? {
        guard !isFlying, waiting.count > 0 else { return nil }
        swap(&flight, &waiting)
        isFlying = true
        return UnsafeRawBufferPointer(start: flight.base, count: flight.count)
    }

    /// What was handed out has been written, or given up.
    mutating func land() {
        isFlying = false
        flight.count = 0
        if flight.capacity > Self.keptBytesMax { flight.release() }
    }

    /// Drops what waits.
    mutating func dropWaiting() {
        waiting.count = 0
        if waiting.capacity > Self.keptBytesMax { waiting.release() }
    }
}
