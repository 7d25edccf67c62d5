// ContainerDecoder: reads values through Codable.
//
// Isolation  confined: one for each value that is not `DirectlyCodable`
// Ownership  all decoders of one call share the root's reader, which is emptied when the call ends:
//            a decoder that a type keeps finds no memory there. A decoder holds its nested
//            containers' decoders, and these hold the root, which releases its own after the call
// Invariant  cursor is the key of the next pair that was not requested in order
//
// Keys are usually requested in the order in which they were written: the key at the cursor is
// compared first. The first failed comparison builds a KeyIndex of the whole map, once.

final class ContainerDecoder: Decoder {
    /// The decoder of the whole call, which owns the shared reader; nil in the root itself.
    private let root: ContainerDecoder?
    // SAFETY: one reader for all decoders of a call. The root allocates it and frees it in its
    // deinit; every other decoder keeps the root. Nothing that holds it exclusively can reach a
    // decoder: a direct init(from:) sees the reader only.
    let reader: UnsafeMutablePointer<CBORReader>
    // SAFETY: @exclusivity(unchecked), here and below: a decoder is used by one thread, and no
    // access spans a call of a type's own code.
    /// The error of a function that cannot throw. Used only in the root.
    @exclusivity(unchecked) var fault: CBORError?
    let start: Int
    /// Levels around this value's own container.
    let depth: Int
    /// The value's end, once it is known.
    @exclusivity(unchecked) var end: Int?

    @exclusivity(unchecked) private var isMap = false
    @exclusivity(unchecked) private var mapStart = 0
    @exclusivity(unchecked) private var pairs = 0
    @exclusivity(unchecked) private var cursor = 0
    @exclusivity(unchecked) private var pairsLeft = 0
    /// The position of the value after which `advance()` may move the cursor.
    @exclusivity(unchecked) private var pending = -1
    /// One bit for each key matched in order, by a hash: a second key with the same bit is compared
    /// with the earlier ones.
    @exclusivity(unchecked) private var bits: InlineArray<4, UInt64> = [0, 0, 0, 0]
    @exclusivity(unchecked) private var lastNoted = -1
    @exclusivity(unchecked) private var index: KeyIndex?
    @exclusivity(unchecked) private var children: [ContainerDecoder] = []

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(reading reader: CBORReader) {
        self.root = nil
        self.reader = .allocate(capacity: 1)
        self.reader.initialize(to: reader)
        self.start = reader.position
        self.depth = reader.depth
    }

    private init(inside outer: ContainerDecoder, start: Int, depth: Int) {
        self.root = outer.root ?? outer
        self.reader = outer.reader
        self.start = start
        self.depth = depth
    }

    deinit {
        if root == nil { reader.deallocate() }
    }

    /// Called on the root when the call has ended. A decoder that was kept must not reach the
    /// memory; if none was kept, all are released.
    func close() {
        reader.pointee = CBORReader(UnsafeRawBufferPointer(start: nil, count: 0))
        children = []
    }

    // MARK: Position

    /// Returns to the value's first byte.
    func restart() { reader.pointee.resume(at: start, depth: depth) }

    /// Moves to a place inside the value's container.
    func resume(at offset: Int) { reader.pointee.resume(at: offset, depth: depth + 1) }

    /// Opens the value's array and leaves the reader at its first element.
    func openArray() throws(CBORError) -> Int {
        restart()
        try reader.pointee.enter()
        return try reader.pointee.readArrayHeader()
    }

    private func openMap() throws(CBORError) {
        guard !isMap else { return }
        restart()
        try reader.pointee.enter()
        pairs = try reader.pointee.readMapHeader()
        mapStart = reader.pointee.offset
        cursor = mapStart
        pairsLeft = pairs
        isMap = true
    }

    // MARK: Values

    /// Decodes the item at the reader's position and leaves the reader after it.
    @inline(__always)
    func decodeNext<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try ShortCut.decode(type, from: &reader.pointee) { return value }
        let offset = reader.pointee.offset
        let child = ContainerDecoder(inside: self, start: offset, depth: reader.pointee.depth)
        let value = try T(from: child)
        let end = try child.finish()
        reader.pointee.resume(at: end, depth: child.depth)
        return value
    }

    /// Returns a decoder for a value inside this one; `finish()` checks that value to its end.
    func child(at offset: Int) -> ContainerDecoder {
        let child = ContainerDecoder(inside: self, start: offset, depth: depth + 1)
        children.append(child)
        return child
    }

    func child(forKey key: String) throws(CBORError) -> ContainerDecoder {
        try required(key)
        return child(at: reader.pointee.offset)
    }

    /// Checks the unrequested items and returns the value's end.
    func finish() throws(CBORError) -> Int {
        for child in children { _ = try child.finish() }
        if isMap {
            if index == nil, pairsLeft == 0 { return cursor }
            return try builtIndex().end
        }
        if let end { return end }
        restart()
        try reader.pointee.skip()
        return reader.pointee.offset
    }

    // MARK: Keys

    /// Moves the reader to the value of `key`; returns false if the map has no such key.
    func find(_ key: String) throws(CBORError) -> Bool {
        if index == nil, pairsLeft > 0 {
            resume(at: cursor)
            if reader.pointee.matchText(key) {
                try noteKey(key)
                return true
            }
        }
        return try findOutOfOrder(key)
    }

    @inline(never)
    private func findOutOfOrder(_ key: String) throws(CBORError) -> Bool {
        guard let found = try builtIndex().valueOffset(of: key, in: reader.pointee) else {
            return false
        }
        resume(at: found)
        return true
    }

    @inline(__always)
    func required(_ key: String) throws(CBORError) {
        guard try find(key) else { throw missing(key) }
    }

    @inline(never)
    private func missing(_ key: String) -> CBORError {
        restart()
        return reader.pointee.failure(.missingField, "no field \"\(key)\" in this map")
    }

    /// The last value found has been read: the next pair follows.
    @inline(__always)
    func advance() {
        guard pending >= 0 else { return }
        cursor = reader.pointee.offset
        pairsLeft -= 1
        pending = -1
    }

    func contains(_ key: String) -> Bool {
        do {
            return try find(key)
        } catch {
            // True, so that the next lookup throws the same error, with its position.
            return true
        }
    }

    func keys() -> [String] {
        do throws(CBORError) {
            return try builtIndex().keys(in: reader.pointee)
        } catch {
            (root ?? self).fault = error
            return []
        }
    }

    /// The key at the cursor has been consumed: refuses it if it was matched before.
    @inline(__always)
    private func noteKey(_ key: String) throws(CBORError) {
        pending = reader.pointee.offset
        let hash = reader.pointee.keyHash(from: cursor, to: pending)
        let word = hash &>> 6
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: hash & 63)
        if _slowPath(bits[word] & bit != 0), cursor != lastNoted { try refuseRepeated(key) }
        bits[word] |= bit
        lastNoted = cursor
    }

    @inline(never)
    private func refuseRepeated(_ key: String) throws(CBORError) {
        var text = reader.pointee
        text.resume(at: cursor, depth: depth + 1)
        let found = try text.readKey()
        guard try !text.occurs(found, from: mapStart, before: cursor) else {
            throw reader.pointee.failure(.duplicateKey, "key \"\(key)\" twice in one map")
        }
    }

    /// Called only by a keyed container, which has opened the map.
    private func builtIndex() throws(CBORError) -> KeyIndex {
        if let index { return index }
        resume(at: mapStart)
        let built = try KeyIndex(pairs: pairs, reader: &reader.pointee)
        index = built
        return built
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try openMap()
        return KeyedDecodingContainer(KeyedDecoding(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedDecoding(self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleDecoding(decoder: self)
    }
}
