// CBORFields: the state of reading one map field by field, expected key first.
//
// Isolation  value; owned by one generated init(from:)
// Invariant  pairs counts the map's unread pairs; bit i of seen says that field i has been read
//
// Generated code reads fields straight through in the order of declaration, as encoders write
// them: each lookup is a comparison with a constant, and succeeds. At the first key that does not
// match, it hands over to a loop that reads the rest of the map in any order.

/// The map being read: `beginMap()` creates it; `endMap(_:)` or `readRest(_:_:_:)` ends it.
public struct CBORFields {
    /// Pairs that have not been read.
    @usableFromInline var pairs: Int
    @usableFromInline var seen: UInt64 = 0
    /// The position of the first key, for detecting an unknown key that occurs twice.
    @usableFromInline let start: Int
    @usableFromInline var unknownKeys = 0

    @inlinable @inline(__always)
    init(pairs: Int, start: Int) {
        self.pairs = pairs
        self.start = start
    }

    /// Returns whether the map has enough pairs for the required fields.
    @inlinable @inline(__always)
    public func mayHave(_ required: Int) -> Bool { pairs >= required }
}

extension CBORReader {
    /// Fields that one `CBORFields` can distinguish. Larger structs use containers.
    public static let fieldsMax = 64

    /// Opens a map for lookup by key. It takes one level of depth.
    @inlinable @inline(__always)
    public mutating func beginMap() throws(CBORError) -> CBORFields {
        if _fastPath(position < end && depth < limits.depthMax) {
            let pairs = Int(truncatingIfNeeded: byte(at: position) ^ 0xa0)
            // A pair takes two bytes or more.
            if _fastPath(pairs < 24 && pairs <= limits.mapEntriesMax && 2 &* pairs < remaining) {
                depth &+= 1
                position &+= 1
                return CBORFields(pairs: pairs, start: position)
            }
        }
        let pairs = try beginAnyMap()
        return CBORFields(pairs: pairs, start: position)
    }

    @inline(never) @usableFromInline
    mutating func beginAnyMap() throws(CBORError) -> Int {
        try enter()
        return try readMapHeader()
    }

    // MARK: Keys

    /// Consumes the next text string if it equals `key`; otherwise leaves the reader where it is.
    @inlinable @inline(__always)
    public mutating func matchKey(_ key: StaticString) -> Bool {
        if matchShortestKey(key) { return true }
        // Only a head longer than needed (0x78 to 0x7b) can still carry this key.
        guard key.utf8CodeUnitCount < 24, position < end,
            _slowPath(byte(at: position) & 0xfc == 0x78)
        else { return false }
        return matchLongKey(key)
    }

    /// Matches like `matchKey(_:)`, but only a key with the shortest head, as encoders write it.
    @inlinable @inline(__always)
    mutating func matchShortestKey(_ key: StaticString) -> Bool {
        let length = key.utf8CodeUnitCount
        if length >= 24 { return matchLongKey(key) }
        guard remaining > length, isNext(key, length) else { return false }
        position &+= length &+ 1
        return true
    }

    @inline(never) @usableFromInline
    mutating func matchLongKey(_ key: StaticString) -> Bool {
        var ahead = self
        let length = key.utf8CodeUnitCount
        // An error here is no match; reading the key as an unknown one reports it.
        guard let found = try? ahead.readLength(0x60, "a key"), found == length,
            CBORText(utf8: UnsafeRawBufferPointer(start: base + ahead.position, count: length))
                == key
        else { return false }
        position = ahead.position + length
        return true
    }

    /// Compares the next `length + 1` bytes, which must exist, with a head and the key. For a
    /// constant key, these are one or two loads, each compared with a number.
    @inlinable @inline(__always)
    func isNext(_ key: StaticString, _ length: Int) -> Bool {
        let ours = base + position
        let text = UnsafeRawPointer(key.utf8Start)
        let head = 0x60 | UInt8(truncatingIfNeeded: length)
        if length >= 7 {
            let low = UInt64(UInt32(littleEndian: text.loadUnaligned(as: UInt32.self)))
            let high = UInt64(
                UInt32(littleEndian: text.loadUnaligned(fromByteOffset: 3, as: UInt32.self)))
            let first = UInt64(head) | low &<< 8 | high &<< 32
            guard UInt64(littleEndian: ours.loadUnaligned(as: UInt64.self)) == first else {
                return false
            }
            var index = 7
            while index &+ 8 < length {
                guard same(ours + 1, text, index, UInt64.self) else { return false }
                index &+= 8
            }
            return length == 7 || same(ours + 1, text, length &- 8, UInt64.self)
        }
        if length >= 3 {
            let low = UInt32(UInt16(littleEndian: text.loadUnaligned(as: UInt16.self)))
            let high = UInt32(text.load(fromByteOffset: 2, as: UInt8.self))
            let first = UInt32(head) | low &<< 8 | high &<< 24
            guard UInt32(littleEndian: ours.loadUnaligned(as: UInt32.self)) == first else {
                return false
            }
            return length == 3 || same(ours + 1, text, length &- 4, UInt32.self)
        }
        if length >= 1 {
            let first = UInt16(head) | UInt16(text.load(as: UInt8.self)) &<< 8
            guard UInt16(littleEndian: ours.loadUnaligned(as: UInt16.self)) == first else {
                return false
            }
            return length == 1 || same(ours + 1, text, 1, UInt8.self)
        }
        return ours.load(as: UInt8.self) == head
    }

    @inlinable @inline(__always)
    func same<T: FixedWidthInteger & BitwiseCopyable>(
        _ ours: UnsafeRawPointer, _ theirs: UnsafeRawPointer, _ index: Int, _: T.Type
    ) -> Bool {
        ours.loadUnaligned(fromByteOffset: index, as: T.self)
            == theirs.loadUnaligned(fromByteOffset: index, as: T.self)
    }

    /// Consumes the next key and returns its index in `keys`; nil if it is not one of them. Tries
    /// them in a ring from `first` on, so that a key in order costs one comparison.
    private mutating func matchAny(_ keys: [StaticString], from first: Int) -> Int? {
        for index in keys.indices {
            let turn = first + index
            let place = turn < keys.count ? turn : turn - keys.count
            if matchKey(keys[place]) { return place }
        }
        return nil
    }

    // MARK: Structures

    /// If the next key of the map is `key`, consumes it and returns true; its value comes next.
    /// `index` is the field's own number, below `fieldsMax`. Each field is looked up once at most:
    /// a key that occurs twice is found by `readRest(_:_:_:)`.
    @inlinable @inline(__always)
    public mutating func matchField(
        _ key: StaticString, _ index: Int, _ fields: inout CBORFields
    ) -> Bool {
        guard fields.pairs > 0, matchShortestKey(key) else { return false }
        fields.seen |= 1 &<< UInt64(truncatingIfNeeded: index)
        fields.pairs &-= 1
        return true
    }

    /// At the map's end leaves its level of depth and returns true.
    @inlinable @inline(__always)
    public mutating func endMap(_ fields: CBORFields) -> Bool {
        guard fields.pairs == 0 else { return false }
        leave()
        return true
    }

    /// Reads the rest of a map, with its keys in any order, and leaves its level of depth.
    ///
    /// `read` reads the value of the field with the given number. Unknown keys are skipped. Throws
    /// `duplicateKey` if a key occurs twice.
    public mutating func readRest(
        _ fields: CBORFields, _ keys: [StaticString],
        _ read: (Int, inout CBORReader) throws(CBORError) -> Void
    ) throws(CBORError) {
        var fields = fields
        var next = 0
        while fields.pairs > 0 {
            guard let index = matchAny(keys, from: next) else {
                try skipUnknown(&fields)
                continue
            }
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
            guard fields.seen & bit == 0 else { throw duplicate(keys[index]) }
            fields.seen |= bit
            fields.pairs -= 1
            try read(index, &self)
            next = index + 1
        }
        leave()
    }

    // MARK: Enums

    /// If `key` names the case in a map of one pair, consumes it and returns true; its payload
    /// comes next.
    @inlinable @inline(__always)
    public mutating func matchCase(_ key: StaticString, _ cases: inout CBORFields) -> Bool {
        guard cases.pairs == 1, matchShortestKey(key) else { return false }
        cases.pairs = 0
        return true
    }

    /// Skips unknown keys, consumes the key that names the case, and returns its index in `keys`
    /// with the rest of the map; the payload comes next. Throws `unknownCase` if there is none.
    public mutating func findCase(
        _ keys: [StaticString], of type: StaticString, _ cases: CBORFields
    ) throws(CBORError) -> (index: Int, rest: CBORFields) {
        var cases = cases
        while cases.pairs > 0 {
            if let index = matchAny(keys, from: 0) {
                cases.pairs -= 1
                return (index, cases)
            }
            try skipUnknown(&cases)
        }
        throw unknownCase(of: type)
    }

    /// Skips the unknown keys after a case, and leaves the map's level of depth. Throws
    /// `unknownCase` if the map names another case.
    @inlinable @inline(__always)
    public mutating func endCases(_ keys: [StaticString], _ cases: CBORFields) throws(CBORError) {
        if _slowPath(cases.pairs > 0) { try skipRest(keys, cases) }
        leave()
    }

    @inline(never) @usableFromInline
    mutating func skipRest(_ keys: [StaticString], _ cases: CBORFields) throws(CBORError) {
        var cases = cases
        while cases.pairs > 0 {
            if let index = matchAny(keys, from: 0) { throw twoCases(keys[index]) }
            try skipUnknown(&cases)
        }
    }

    // MARK: Unknown keys

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
    func occurs(_ key: CBORText, from start: Int, before limit: Int) throws(CBORError) -> Bool {
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
    mutating func skipOtherMap() throws(CBORError) { try readRest(try beginMap(), []) { _, _ in } }
}
