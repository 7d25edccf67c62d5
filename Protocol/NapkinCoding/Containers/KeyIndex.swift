// KeyIndex: the positions of one map's values, by key. Built when keys come out of order.
//
// Isolation  confined: owned by one ContainerDecoder
// Ownership  24 bytes for each pair of the map, 4 to 8 more above `linearMax` pairs
// Invariant  no key twice: building it throws duplicateKey

final class KeyIndex {
    private struct Entry {
        let key: Int
        let keyLength: Int
        let value: Int
    }

    /// Pairs up to which a search compares one key after another. Chosen: most maps have fewer.
    private static let linearMax = 8

    private var entries: ContiguousArray<Entry> = []
    /// Open addressing with a seeded hash; 0 is empty, otherwise the number of an entry plus 1.
    private var table: ContiguousArray<UInt32> = []
    /// The entry after the one found last, which the next lookup probably wants.
    private var next = 0
    /// The map's end.
    private(set) var end = 0

    /// Reads the whole map. The reader is at its first key before, and at its end afterwards.
    init(pairs: Int, reader: inout CBORReader) throws(CBORError) {
        entries.reserveCapacity(pairs)
        if pairs > Self.linearMax {
            var slots = 16
            while slots < pairs * 2 { slots *= 2 }
            table = ContiguousArray(repeating: 0, count: slots)
        }
        for _ in 0..<pairs {
            let start = reader.offset
            let key = try reader.readKey()
            guard insert(key, at: reader.offset, in: reader) else {
                reader.resume(at: start, depth: reader.depth)
                throw reader.failure(.duplicateKey, "one key twice in one map")
            }
            try reader.skip()
        }
        end = reader.offset
    }

    private func text(_ entry: Entry, _ reader: CBORReader) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: reader.base + entry.key, count: entry.keyLength)
    }

    private func hash(_ key: CBORText) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: key.utf8)
        return hasher.finalize()
    }

    /// Adds a key whose value is at `value`; returns false if the key is already there.
    private func insert(_ key: CBORText, at value: Int, in reader: CBORReader) -> Bool {
        let length = key.utf8.count
        let entry = Entry(key: value - length, keyLength: length, value: value)
        if table.isEmpty {
            guard !entries.contains(where: { key.equals(text($0, reader)) }) else { return false }
        } else {
            var slot = hash(key) & (table.count - 1)
            while table[slot] != 0 {
                if key.equals(text(entries[Int(table[slot]) - 1], reader)) { return false }
                slot = (slot + 1) & (table.count - 1)
            }
            table[slot] = UInt32(truncatingIfNeeded: entries.count + 1)
        }
        entries.append(entry)
        return true
    }

    func valueOffset(of key: String, in reader: CBORReader) -> Int? {
        // The memory is gone if a decoder is used after its call has ended.
        guard reader.end >= end else { return nil }
        var native = key
        return native.withUTF8 { utf8 in
            let wanted = CBORText(utf8: UnsafeRawBufferPointer(utf8))
            guard let number = number(of: wanted, in: reader) else { return nil }
            next = number + 1
            return entries[number].value
        }
    }

    private func number(of key: CBORText, in reader: CBORReader) -> Int? {
        if next < entries.count, key.equals(text(entries[next], reader)) { return next }
        if table.isEmpty { return entries.firstIndex { key.equals(text($0, reader)) } }
        var slot = hash(key) & (table.count - 1)
        while table[slot] != 0 {
            let number = Int(table[slot]) - 1
            if key.equals(text(entries[number], reader)) { return number }
            slot = (slot + 1) & (table.count - 1)
        }
        return nil
    }

    /// Returns the keys in the map's order. Throws for a key that is not UTF-8, and for two keys
    /// with different bytes that Swift calls equal, since a dictionary would lose one.
    func keys(in reader: CBORReader) throws(CBORError) -> [String] {
        guard reader.end >= end else { return [] }
        var keys: [String] = []
        keys.reserveCapacity(entries.count)
        for entry in entries {
            guard let key = CBORText(utf8: text(entry, reader)).string else {
                throw CBORError(.invalidUTF8, at: entry.key, "a key that is not UTF-8")
            }
            keys.append(key)
        }
        guard Set(keys).count == keys.count else {
            throw CBORError(.duplicateKey, at: end, "two keys in one map that Swift calls equal")
        }
        return keys
    }
}
