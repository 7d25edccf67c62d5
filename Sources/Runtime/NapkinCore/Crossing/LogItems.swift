// LogItems: consecutive items of a log, as they cross.
//
// Layer      core vocabulary. Bytes from a peer can never trap here.
// Ownership  borrows its memory; valid only during the call that passes it.
// Spec       Protocol/SPEC.md, section 6 (Messages): log

/// Consecutive items of a log, borrowed for one call.
package struct LogItems {
    /// The number of the first item.
    package let first: UInt64
    /// The number of the oldest item that the worker keeps.
    package let oldest: UInt64
    /// The bytes of each item.
    package let encoded: ArraySlice<UnsafeRawBufferPointer>

    /// Reads `[oldest, item, …]`, the payload of a frame whose header has the first item's number.
    ///
    /// Throws `CBORError` if the bytes are something else.
    package init(first: UInt64, payload: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(payload)
        try self.init(first: first, count: try reader.readArrayHeader(), &reader)
    }

    /// Reads `[first, oldest, item, …]`, the answer to `MethodID.readLog`.
    init(answer payload: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(payload)
        let count = try reader.readArrayHeader()
        try self.init(first: try reader.read(UInt64.self), count: count - 1, &reader)
    }

    private init(
        first: UInt64, count: Int, _ reader: inout CBORReader
    ) throws(CBORError) {
        guard count > 0 else {
            throw CBORError(.typeMismatch, "items without the number of the oldest")
        }
        oldest = try reader.read(UInt64.self)
        let wanted = count - 1
        var items: [UnsafeRawBufferPointer] = []
        items.reserveCapacity(min(wanted, 65_536))
        for _ in 0..<wanted { items.append(try reader.rawItem()) }
        try reader.expectEnd()
        // A range of numbers has a count, too, that an Int holds.
        guard first <= UInt64(Int.max) - UInt64(items.count), oldest <= first else {
            throw CBORError(.outOfRange, "items from \(first) on, the oldest of which is \(oldest)")
        }
        self.first = first
        encoded = items[...]
    }

    init(first: UInt64, oldest: UInt64, _ items: ArraySlice<UnsafeRawBufferPointer>) {
        self.first = first
        self.oldest = oldest
        encoded = items
    }

    package var count: Int { encoded.count }
    /// The number of the item after these.
    package var next: UInt64 { first + UInt64(count) }

    /// The items, copied, each as a method's arguments.
    package var payloads: [Payload] { encoded.map { Payload(Array($0)) } }

    /// Returns the items from a number on.
    package func dropping(below number: UInt64) -> LogItems {
        guard number > first else { return self }
        let gone = min(number - first, UInt64(count))
        return LogItems(first: first + gone, oldest: oldest, encoded.dropFirst(Int(gone)))
    }
}
