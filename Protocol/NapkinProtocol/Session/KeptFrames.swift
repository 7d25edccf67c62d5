// KeptFrames: keeps frames that may have to be resent: a front's events, a worker's answers.
//
// Isolation  value; part of FrontEvents and of SeatEvents.
// Invariant  `bytes` begins with `end` bytes of frames, in ascending order of their numbers;
//            removed frames take at most as many bytes as the others, and `garbageBytesMax`
//            more.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// Frames in one buffer, each with a number and a token; keeping one more costs no allocation.
public struct KeptFrames<Token> {
    /// A frame's place in the buffer, and its token.
    public struct Entry {
        @usableFromInline var token: Token
        /// The offset from the first byte that was ever kept here.
        @usableFromInline var start: Int
        @usableFromInline var byteCount: Int

        @inlinable
        public init(token: consuming Token, start: Int, byteCount: Int) {
            self.token = token
            self.start = start
            self.byteCount = byteCount
        }
    }

    /// Bytes of removed frames that may remain before the others are moved together, and bytes that
    /// an empty buffer may keep for reuse.
    @usableFromInline let garbageBytesMax: Int
    @usableFromInline var table = SequenceTable<Entry>()
    /// Bytes after the first `end` are unused: while there is room, adding a frame is only a copy.
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var end = 0
    /// The number of bytes that have been removed from the buffer's beginning.
    @usableFromInline var gone = 0
    /// Bytes of the frames that have not been removed.
    @usableFromInline var liveBytes = 0

    @inlinable
    public init(garbageBytesMax: Int) { self.garbageBytesMax = garbageBytesMax }

    @inlinable public var count: Int { table.count }

    /// Adds a frame with a number greater than all before it.
    @inlinable
    public mutating func append(
        _ token: consuming Token, at number: UInt64, _ frame: UnsafeRawBufferPointer
    ) {
        let start = end
        end += frame.count
        if end > bytes.count { makeRoom() }
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]).copyMemory(from: frame)
        }
        liveBytes += frame.count
        let entry = Entry(token: token, start: gone &+ start, byteCount: frame.count)
        table.append(entry, at: number)
    }

    @usableFromInline @inline(never)
    mutating func makeRoom() {
        let more = max(end, 2 * bytes.count, 256) - bytes.count
        bytes.append(contentsOf: repeatElement(0, count: more))
    }

    @inlinable
    public mutating func remove(_ number: UInt64) -> Token? {
        guard let entry = table.remove(number) else { return nil }
        liveBytes -= entry.byteCount
        collectGarbage()
        return entry.token
    }

    /// Removes the frames up to this number.
    mutating func removeAll(through number: UInt64) {
        while let entry = table.removeFirst(through: number) { liveBytes -= entry.byteCount }
        collectGarbage()
    }

    @inlinable @inline(__always)
    public mutating func collectGarbage() {
        if liveBytes == 0 {
            gone &+= end
            end = 0
            if bytes.count > garbageBytesMax { bytes = [] }
        } else if end > 2 * liveBytes + garbageBytesMax {
            moveTogether()
        }
    }

    @inlinable @inline(never)
    public mutating func moveTogether() {
        // Nearly always, the removed frames are the oldest ones.
        let first = (table.first?.value.start ?? gone) &- gone
        if end - first == liveBytes {
            bytes.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first..<end]))
            }
            gone &+= first
        } else {
            bytes = joined
            var start = gone
            table.update { entry in
                entry.start = start
                start &+= entry.byteCount
            }
        }
        end = liveBytes
    }

    /// The tokens of all frames, in ascending order of their numbers.
    var tokens: [Token] {
        // A front that attaches has none. Measured: finding none through the table's lazy sequences
        // took a twentieth of its time.
        guard count > 0 else { return [] }
        var tokens: [Token] = []
        table.visit { tokens.append($0.token) }
        return tokens
    }

    /// All frames, one after another.
    @inlinable public var joined: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(liveBytes)
        for (_, entry) in table.elements { result.append(contentsOf: frame(of: entry)) }
        return result
    }

    /// All tokens, each with its frame.
    var elements: [(token: Token, frame: [UInt8])] {
        table.elements.map { ($0.value.token, Array(frame(of: $0.value))) }
    }

    @inlinable
    public func frame(of entry: Entry) -> ArraySlice<UInt8> {
        let start = entry.start &- gone
        return bytes[start..<start + entry.byteCount]
    }
}

extension KeptFrames: Sendable where Token: Sendable {}
extension KeptFrames.Entry: Sendable where Token: Sendable {}

/// Two values are equal if they have the same frames under the same numbers, at any offsets.
extension KeptFrames: Equatable where Token: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.count == right.count
            && zip(left.table.elements, right.table.elements).allSatisfy {
                $0.sequence == $1.sequence && $0.value.token == $1.value.token
                    && left.frame(of: $0.value) == right.frame(of: $1.value)
            }
    }
}

extension KeptFrames: Hashable where Token: Hashable {
    public func hash(into hasher: inout Hasher) {
        // Does not use `elements`: a search through all states of a session does little else than
        // hash.
        table.hash(into: &hasher) { hasher, entry in hasher.combine(entry.token) }
        hasher.combine(liveBytes == end ? bytes[0..<liveBytes] : joined[...])
    }
}
