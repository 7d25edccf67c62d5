// KeyIndex: the positions of one map's values, by key. Built when keys come out of order.
//
// Isolation  confined: owned by one ContainerDecoder
// Ownership  24 bytes for each pair of the map, and an entry of a table above `linearMax` pairs
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
    /// The numbers of the entries, by keys in the reader's memory; empty for few pairs.
    private var table: [CBORText: Int] = [:]
    /// The entry after the one found last, which the next lookup probably wants.
    private var next = 0
    /// The map's end.
    private(set) var end = 0

    /// Reads the whole map. The reader is at its first key before, and at its end afterwards.
    init(pairs: Int, reader: inout CBORReader) throws(CBORError) {
        entries.reserveCapacity(pairs)
        let hasTable = pairs > Self.linearMax
        if hasTable { table.reserveCapacity(pairs) }
        for _ in 0..<pairs {
            let start = reader.offset
            let key = try reader.readKey()
            let number = entries.count
            let isNew =
                hasTable
                ? table.updateValue(number, forKey: key) == nil
                : !entries.contains { key.equals(text($0, reader)) }
            guard isNew else {
                reader.resume(at: start, depth: reader.depth)
                throw reader.failure(.duplicateKey, "one key twice in one map")
            }
            let length = key.utf8.count
            entries.append(
                Entry(key: reader.offset - length, keyLength: length, value: reader.offset))
            try reader.skip()
        }
        end = reader.offset
    }

    private func text(_ entry: Entry, _ reader: CBORReader) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: reader.base + entry.key, count: entry.keyLength)
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
        if !table.isEmpty { return table[key] }
        return entries.firstIndex { key.equals(text($0, reader)) }
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
