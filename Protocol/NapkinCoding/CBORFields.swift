// CBORFields: the state of reading one map field by field, expected key first.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  value; owned by one generated init(from:)
// Invariant  pairs is what remains of the map; bit i of seen says that field i has been read
//
// Generated code asks for its fields in declaration order, which is the order in which they were
// written: each lookup is one comparison with a constant, and succeeds. If the keys come in
// another order, the same lookups are repeated, pass after pass, until the whole map has been
// read; a pass in which no lookup succeeds skips one unknown pair.

/// The map being read: `beginMap()` creates it, `continueMap(_:)` ends it.
public struct CBORFields {
    @usableFromInline var pairs: Int
    @usableFromInline var pairsAtPass: Int
    @usableFromInline var seen: UInt64
    /// The position of the first key, for detecting an unknown key that occurs twice.
    @usableFromInline let start: Int
    @usableFromInline var unknownKeys: Int

    @inlinable @inline(__always)
    init(pairs: Int, start: Int) {
        self.pairs = pairs
        self.pairsAtPass = pairs
        self.seen = 0
        self.start = start
        self.unknownKeys = 0
    }
}

extension CBORReader {
    /// Fields that one `CBORFields` can distinguish. Larger structs use containers.
    public static let fieldsMax = 64

    /// Opens a map whose keys will be looked up. It takes one level of depth.
    @inlinable @inline(__always)
    public mutating func beginMap() throws(CBORError) -> CBORFields {
        try enter()
        let pairs = try readMapHeader()
        return CBORFields(pairs: pairs, start: position)
    }

    /// Consumes the next text string if it equals `key`; otherwise leaves the reader where it is.
    @inlinable @inline(__always)
    public mutating func matchKey(_ key: StaticString) -> Bool {
        let length = key.utf8CodeUnitCount
        if length < 24 {
            guard remaining > length else { return false }
            let initial = byte(at: position)
            if initial == 0x60 | UInt8(truncatingIfNeeded: length) {
                guard equals(key.utf8Start, at: position &+ 1, length) else { return false }
                position &+= length &+ 1
                return true
            }
            // Only a head longer than needed (0x78 to 0x7b) can still carry this key.
            guard _slowPath(initial >= 0x78 && initial < 0x7c) else { return false }
        }
        return matchLongKey(key)
    }

    @inline(never) @usableFromInline
    mutating func matchLongKey(_ key: StaticString) -> Bool {
        var ahead = self
        let length = key.utf8CodeUnitCount
        // An error here is no match; reading the key as an unknown one reports it.
        guard let found = try? ahead.readLength(0x60, "a key"), found == length,
            equals(key.utf8Start, at: ahead.position, length)
        else { return false }
        position = ahead.position + length
        return true
    }

    /// Compares `length` bytes, which exist. With a constant length this is a few loads.
    @inlinable @inline(__always)
    func equals(_ text: UnsafePointer<UInt8>, at offset: Int, _ length: Int) -> Bool {
        let ours = base + offset
        let theirs = UnsafeRawPointer(text)
        if length >= 8 {
            var index = 0
            while index &+ 8 <= length {
                guard same(ours, theirs, index, UInt64.self) else { return false }
                index &+= 8
            }
            return same(ours, theirs, length &- 8, UInt64.self)
        }
        if length >= 4 {
            return same(ours, theirs, 0, UInt32.self)
                && same(ours, theirs, length &- 4, UInt32.self)
        }
        if length >= 2 {
            return same(ours, theirs, 0, UInt16.self)
                && same(ours, theirs, length &- 2, UInt16.self)
        }
        return length == 0 || same(ours, theirs, 0, UInt8.self)
    }

    @inlinable @inline(__always)
    func same<T: FixedWidthInteger & BitwiseCopyable>(
        _ ours: UnsafeRawPointer, _ theirs: UnsafeRawPointer, _ index: Int, _: T.Type
    ) -> Bool {
        ours.loadUnaligned(fromByteOffset: index, as: T.self)
            == theirs.loadUnaligned(fromByteOffset: index, as: T.self)
    }

    /// If the next key of the map is `key`, consumes it and returns true; its value comes next.
    /// `index` is the field's own number, below `fieldsMax`. Throws `duplicateKey` the second time.
    @inlinable @inline(__always)
    public mutating func matchField(
        _ key: StaticString, _ index: Int, _ fields: inout CBORFields
    ) throws(CBORError) -> Bool {
        guard fields.pairs > 0, matchKey(key) else { return false }
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
        guard fields.seen & bit == 0 else { throw duplicate(key) }
        fields.seen |= bit
        fields.pairs &-= 1
        return true
    }

    /// If the next key of the map names the case `key`, consumes it and returns true. Throws
    /// `unknownCase` if the map has already named a case.
    @inlinable @inline(__always)
    public mutating func matchCase(
        _ key: StaticString, _ fields: inout CBORFields
    ) throws(CBORError) -> Bool {
        guard fields.pairs > 0, matchKey(key) else { return false }
        guard fields.seen == 0 else { throw twoCases(key) }
        fields.seen = 1
        fields.pairs &-= 1
        return true
    }

    /// Returns whether the fields must be looked up once more. At the map's end returns false and
    /// leaves its level of depth.
    @inlinable @inline(__always)
    public mutating func continueMap(_ fields: inout CBORFields) throws(CBORError) -> Bool {
        if _fastPath(fields.pairs == 0) {
            leave()
            return false
        }
        return try continueUnmatched(&fields)
    }

    @inline(never) @usableFromInline
    mutating func continueUnmatched(_ fields: inout CBORFields) throws(CBORError) -> Bool {
        if fields.pairs == fields.pairsAtPass {
            try skipUnknown(&fields)
            if fields.pairs == 0 {
                leave()
                return false
            }
        }
        fields.pairsAtPass = fields.pairs
        return true
    }

    private mutating func skipUnknown(_ fields: inout CBORFields) throws(CBORError) {
        let keyStart = position
        let key = try readKey()
        if fields.unknownKeys < CBORLimits.unknownKeysTracked {
            fields.unknownKeys += 1
            guard try !occurs(key, from: fields.start, before: keyStart) else {
                position = keyStart
                throw failure(.duplicateKey, "an unknown key twice in one map")
            }
        }
        try skip()
        fields.pairs -= 1
    }

    /// Returns whether a map whose first key is at `start` has `key` before `limit`.
    func occurs(
        _ key: CBORText, from start: Int, before limit: Int
    ) throws(CBORError) -> Bool {
        var earlier = self
        earlier.position = start
        while earlier.position < limit {
            if try earlier.readKey() == key { return true }
            try earlier.skip()
        }
        return false
    }

    /// Skips a map, such as the empty one of a case without payload.
    @inlinable
    public mutating func skipMap() throws(CBORError) {
        if position < end, byte(at: position) == 0xa0 {
            position &+= 1
        } else {
            try skipOtherMap()
        }
    }

    @inline(never) @usableFromInline
    mutating func skipOtherMap() throws(CBORError) {
        var fields = try beginMap()
        while try continueMap(&fields) {}
    }
}
